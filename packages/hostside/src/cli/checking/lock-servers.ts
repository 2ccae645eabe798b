import type { ChangeKind } from "@hostside/policy";
import type { CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { formatCount, printJson } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { replaceFile } from "../replace-file.ts";
import type { Terminal } from "../terminal.ts";
import {
  compareOffers,
  readOffers,
  renewLocks,
  type OfferChange,
  formatServersLock,
  lockPath,
  readLockFile,
} from "./compare-offers.ts";

/** Arguments of `lock`. */
export interface LockArguments {
  readonly file: string | undefined;
  /** Ids of the only servers that are asked. */
  readonly server?: readonly string[] | undefined;
}

/**
 * Writes down what the servers offer. A server that could not be asked stays as it was in the file.
 */
export const lockServers: CommandWork<LockArguments> = async ({ file, server: servers }, context) => {
  const { terminal, options } = context;
  const path = lockPath(file, context);
  // Read first: a file that is something else is not written over, and no server is started for it.
  const before = (await readLockFile(path)) ?? new Map();
  const offers = await readOffers(context, servers);
  if (terminal.signal.aborted) {
    terminal.err(`Stopped: ${path} is as it was.\n`);
    return exitCodes.incomplete;
  }
  if (offers.configured.size === 0)
    throw usageError("no server is configured", "hostside init finds those that you have");
  const { locks, locked, kept, removed } = renewLocks(before, offers);
  const isWritten = offers.locks.size > 0 || removed.length > 0;
  if (isWritten) await replaceFile(path, formatServersLock(locks));
  if (options.json === true) {
    printJson(terminal, { file: path, written: isWritten, locked, kept, removed, failed: offers.failed });
  } else {
    for (const { server, tools, hash, was } of locked)
      terminal.out(`${terminal.paint("name", server)}  ${formatCount(tools, "tool")}  ${hash}  ${was}\n`);
    for (const server of removed) terminal.out(`${terminal.paint("name", server)}  is configured no more: taken out\n`);
    for (const { server, reason } of offers.unread) {
      const note = before.has(server) ? "its lock stays as it was" : "it has no lock";
      terminal.err(`${server} ${reason}; ${note}\n`);
    }
    terminal.out(isWritten ? `${path}\n` : `Nothing to write to ${path}.\n`);
  }
  return offers.failed.length > 0 ? exitCodes.unreachable : exitCodes.pass;
};

/** Arguments of `diff`. */
export interface DiffArguments extends LockArguments {
  /** Fails on compatible changes, too. */
  readonly strict?: boolean | undefined;
}

/** Compares what the servers offer with what a lock file says. */
export const diffServers: CommandWork<DiffArguments> = async ({ file, server: servers, strict }, context) => {
  const { terminal, options } = context;
  const path = lockPath(file, context);
  const before = await readLockFile(path);
  if (before === undefined) throw usageError(`${path} does not exist`, "hostside lock writes it");
  const offers = await readOffers(context, servers);
  if (terminal.signal.aborted) {
    terminal.err("Stopped: nothing was compared.\n");
    return exitCodes.incomplete;
  }
  const { failed } = offers;
  const changes = compareOffers(before, offers);
  const count = (kind: ChangeKind): number => changes.filter((change) => change.kind === kind).length;
  const counts = { breaking: count("breaking"), security: count("security"), compatible: count("compatible") };
  // Servers that were named were compared, whatever else of the configuration cannot be read.
  const isPartial = offers.isPartial && servers === undefined;
  if (options.json === true) {
    printJson(terminal, { file: path, changes, counts, failed });
  } else {
    for (const change of changes) terminal.out(`${describeChange(change, terminal)}\n`);
    for (const { server, reason } of offers.unread) terminal.err(`${server} ${reason}; it was not compared\n`);
    const isCompared = offers.locks.size > 0 || failed.length === 0;
    const same = isCompared ? `The servers offer what ${path} says.` : "Nothing was compared.";
    const sum = `${counts.breaking} breaking, ${counts.security} security-relevant, ${counts.compatible} compatible`;
    terminal.out(`${changes.length === 0 ? same : sum}\n`);
  }
  if (isPartial)
    terminal.err("part of the configuration cannot be read, and was not compared: hostside doctor shows it\n");
  if (counts.breaking + counts.security > 0 || (strict === true && changes.length > 0)) return exitCodes.fail;
  return failed.length > 0 || isPartial ? exitCodes.incomplete : exitCodes.pass;
};

const styles = { breaking: "bad", security: "warn", compatible: "good" } as const;

/** A change as a line. Its words are a stranger's text. */
function describeChange({ server, kind, tool, path, what }: OfferChange, { paint }: Terminal): string {
  const where = [server, tool === undefined ? "" : JSON.stringify(tool), path].filter((part) => part !== "").join(" ");
  return `${paint(styles[kind], kind.padEnd(10))}  ${terminalLine(`${where} ${what}`, 1000)}`;
}
