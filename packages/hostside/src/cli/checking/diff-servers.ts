import type { CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { terminalLine } from "../render/render-text.ts";
import type { Terminal } from "../terminal.ts";
import { compareOffers, countChangesByKind, type OfferChange } from "./compare-offers.ts";
import { lockPath, readLockFile } from "./lock-file.ts";
import { readOffers } from "./read-offers.ts";
import { printJson } from "../render/print.ts";

/** What `diff` is asked. */
export interface DiffArguments {
  readonly file: string | undefined;
  /** Ids of the only servers that are compared. */
  readonly servers: readonly string[] | undefined;
  /** Whether compatible changes fail, too. */
  readonly strict: boolean;
}

/** Compares what the servers offer with what a lock file says. */
export const diffServers: CommandWork<DiffArguments> = async ({ file, servers, strict }, context) => {
  const { terminal, options } = context;
  const path = lockPath(file, context);
  const before = await readLockFile(path);
  if (before === undefined) throw usageError(`${path} does not exist`, "hostside lock writes it");
  const offers = await readOffers(context, servers);
  const changes = compareOffers(before, offers);
  const counts = countChangesByKind(changes);
  const unreached = offers.unread.filter(({ isOff }) => !isOff);
  // Servers that were named were compared, whatever else of the configuration cannot be read.
  const isPartial = offers.isPartial && servers === undefined;
  if (options.json === true) {
    const failed = unreached.map(({ server, reason }) => ({ server, reason }));
    printJson(terminal, { file: path, changes, counts, failed });
  } else {
    for (const change of changes) terminal.out(`${describeChange(change, terminal)}\n`);
    for (const { server, reason } of offers.unread) terminal.err(`${server} ${reason}; it was not compared\n`);
    const { breaking, security, compatible } = counts;
    const sum = `${breaking} breaking, ${security} security-relevant, ${compatible} compatible`;
    const same =
      offers.locks.size > 0 || unreached.length === 0
        ? `The servers offer what ${path} says.`
        : "Nothing was compared.";
    terminal.out(`${changes.length === 0 ? same : sum}\n`);
  }
  if (isPartial)
    terminal.err("part of the configuration cannot be read, and was not compared: hostside doctor shows it\n");
  if (counts.breaking + counts.security > 0 || (strict && changes.length > 0)) return exitCodes.fail;
  return unreached.length > 0 || isPartial || terminal.signal.aborted ? exitCodes.incomplete : exitCodes.pass;
};

const styles = { breaking: "bad", security: "warn", compatible: "good" } as const;

/** A change as a line. What changed is a stranger's text. */
export function describeChange(
  { server, kind, tool, path, what }: OfferChange,
  { paint }: Pick<Terminal, "paint">,
): string {
  const where = [server, ...(tool === undefined ? [] : [JSON.stringify(tool)]), ...(path === "" ? [] : [path])].join(
    " ",
  );
  return `${paint(styles[kind], kind.padEnd(10))}  ${terminalLine(`${where} ${what}`, 1000)}`;
}
