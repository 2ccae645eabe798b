import type { CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { formatCount, printJson } from "../render/print.ts";
import { renewLocks } from "./compare-offers.ts";
import { lockPath, readLockFile, writeLockFile } from "./lock-file.ts";
import { readOffers } from "./read-offers.ts";
import { formatServersLock } from "./servers-lock.ts";

/** What `lock` is asked. */
export interface LockArguments {
  readonly file: string | undefined;
  /** Ids of the only servers that are asked. */
  readonly servers: readonly string[] | undefined;
}

/** Writes down what the servers offer. What is not known of one stays as it was in the file. */
export const lockServers: CommandWork<LockArguments> = async ({ file, servers }, context) => {
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
  const renewed = renewLocks(before, offers);
  const unreached = offers.unread.filter(({ isOff }) => !isOff);
  const isWritten = offers.locks.size > 0 || renewed.removed.length > 0;
  if (isWritten) await writeLockFile(path, formatServersLock(renewed.locks));

  const { locked, kept, removed } = renewed;
  if (options.json === true) {
    const failed = unreached.map(({ server, reason }) => ({ server, reason }));
    printJson(terminal, { file: path, written: isWritten, locked, kept, removed, failed });
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
  return unreached.length > 0 ? exitCodes.unreachable : exitCodes.pass;
};
