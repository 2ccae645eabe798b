import type { AskTrust, Trust, TrustAnswer, TrustQuestion } from "@hostside/config";
import type { LoadedConfig } from "@hostside/config/node";
import { HostsideError } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { askTrust, describeTrust } from "../opening/asking/ask-user.ts";
import { terminalAsker, canAsk, type TerminalPrompter } from "../opening/asking/terminal-asker.ts";
import { exactServer, serversMeant } from "../opening/known-server.ts";
import { shellLine } from "../render/render-text.ts";
import { loadConfigured, sourcePlaceOf } from "./load-configured.ts";
import { printJson } from "../render/print.ts";
import { renderTable } from "../render/render-table.ts";
import type { Terminal } from "../terminal.ts";
import { showPath } from "./survey-configs.ts";

/** What `trust` was given. At most one of the flags. */
export interface TrustArguments {
  readonly names: readonly string[];
  readonly yes?: boolean | undefined;
  readonly refuse?: boolean | undefined;
  readonly list?: boolean | undefined;
  readonly revoke?: boolean | undefined;
}

/** An answer that was given now. */
interface Decision {
  readonly name: string;
  readonly folder: string;
  readonly answer: TrustAnswer;
}

/**
 * Asks about the servers that a project brings, or takes answers from the command line; lists and
 * forgets them.
 */
export const decideTrust: CommandWork<TrustArguments> = async (args, context) => {
  const { names, yes, refuse, list, revoke } = args;
  const flags = Object.entries({ yes, refuse, list, revoke }).filter(([, value]) => value === true);
  if (flags.length > 1)
    throw usageError(`--${flags[0]?.[0]} and --${flags[1]?.[0]} are two things`, "leave one of them out");
  if (list === true) return listRecords(context, names);
  if (revoke === true) return revokeRecords(context, names);
  if ((yes === true || refuse === true) && names.length === 0) {
    throw usageError(
      `--${yes === true ? "yes" : "refuse"} wants names`,
      "hostside trust shows what there is to decide",
    );
  }
  if (yes === true && !context.terminal.canAsk) {
    // A model that runs commands is no user who decides.
    throw usageError(
      "--yes is taken at a terminal alone",
      "run it in a terminal, or name the file of the servers by --config FILE, which needs no trust",
    );
  }
  return decide(args, context);
};

async function decide({ names, yes, refuse }: TrustArguments, context: CommandContext): Promise<number> {
  const said: TrustAnswer | undefined = yes === true ? "trust" : refuse === true ? "refuse" : undefined;
  const asker = terminalAsker(context.terminal);
  const decisions: Decision[] = [];
  const open: TrustQuestion[] = [];
  const asked = new Set<string>();
  let isOver = false;
  const ask = askTrust(asker, () => (isOver = true));
  const answerTo: AskTrust = async (question, signal) => {
    if (names.length > 0 && !names.includes(question.serverId)) return undefined;
    asked.add(question.fingerprint);
    const isAsked = said === undefined && canAsk(context);
    if (!isAsked) await show(asker, question);
    const answer = isAsked && !isOver ? await ask(question, signal) : said;
    if (answer === undefined) open.push(question);
    else decisions.push({ name: question.serverId, folder: question.folder, answer });
    return answer;
  };
  const tooLong: TrustQuestion[] = [];
  const around = (trust: Trust): Trust => askAgain(trust, { names, asked, answerTo, tooLong });
  const { config } = await loadConfigured(context, answerTo, around);
  for (const name of names) if (!isDecided(name, decisions, [...open, ...tooLong])) throw needsNone(name, config);
  for (const { serverId } of tooLong) {
    const why = "has more than can be shown whole, and nobody is asked: put it into a file of your own";
    context.terminal.err(`${quoteText(serverId)} ${why}\n`);
  }
  const code = report(decisions, open, context);
  return tooLong.length > 0 ? exitCodes.incomplete : code;
}

// Somebody who names one that was refused wants to be asked again; until they answer it stays
// refused. And nothing is said to be decided that was not kept.
function askAgain(
  trust: Trust,
  {
    names,
    asked,
    answerTo,
    tooLong,
  }: {
    readonly names: readonly string[];
    readonly asked: ReadonlySet<string>;
    readonly answerTo: AskTrust;
    readonly tooLong: TrustQuestion[];
  },
): Trust {
  return {
    ...trust,
    async decide(entry, options) {
      const verdict = await trust.decide(entry, options);
      if (!verdict.trusted && verdict.why === "failed") {
        throw new HostsideError(verdict.message, { code: "store_failed", serverId: entry.server.id });
      }
      if (!verdict.trusted && verdict.why === "too-long") tooLong.push(verdict.question);
      if (verdict.trusted || verdict.why !== "refused" || !names.includes(entry.server.id)) return verdict;
      if (asked.has(verdict.question.fingerprint)) return verdict; // refused right now
      const answer = await answerTo(verdict.question, options?.signal);
      if (answer !== undefined) await trust.remember(entry, answer);
      return answer === "trust" ? { trusted: true } : verdict;
    },
  };
}

async function show(asker: TerminalPrompter, question: TrustQuestion): Promise<void> {
  await asker.alone(async (ask) => ask.show(describeTrust(question)));
}

function isDecided(name: string, decisions: readonly Decision[], open: readonly TrustQuestion[]): boolean {
  return decisions.some((one) => one.name === name) || open.some(({ serverId }) => serverId === name);
}

function needsNone(name: string, config: LoadedConfig): Error {
  const source = exactServer(config, name);
  const why =
    source.scope === "project" ? "is trusted already, or is off for another reason" : "is your own, and needs no trust";
  return usageError(`${name} of ${sourcePlaceOf(source)} ${why}`, "hostside trust --list shows what was decided");
}

function report(
  decisions: readonly Decision[],
  open: readonly TrustQuestion[],
  context: Pick<CommandContext, "terminal" | "options">,
): number {
  const { terminal, options } = context;
  if (options.json === true) {
    printJson(terminal, { decisions, open });
  } else {
    for (const { name, answer } of decisions) {
      terminal.out(`${terminal.paint("name", quoteText(name))} is ${answer === "trust" ? "trusted" : "refused"}\n`);
    }
    if (decisions.length === 0 && open.length === 0) terminal.out("There is nothing to decide here.\n");
  }
  if (open.length === 0) return exitCodes.pass;
  if (!canAsk(context)) {
    const words = shellLine(["hostside", "trust"]);
    terminal.err(`\nThere is nobody here to ask: run ${words} in a terminal, where it asks\n`);
  }
  return exitCodes.incomplete;
}

async function listRecords(context: CommandContext, names: readonly string[]): Promise<number> {
  const { terminal, options } = context;
  const { trust } = await loadConfigured(context);
  const records = (await trust.list())
    .filter(({ serverId }) => names.length === 0 || names.includes(serverId))
    .map(({ serverId, folder, file, answer, answeredAt }): ShownRecord => ({
      name: serverId,
      answer,
      folder,
      ...(file !== undefined && { file }),
      answeredAt: new Date(answeredAt).toISOString(),
    }));
  if (options.json === true) printJson(terminal, { records });
  else terminal.out(renderRecords(records, terminal));
  return exitCodes.pass;
}

// To forget a yes takes nothing but trust away, so that all of a name are forgotten, wherever they
// are.
async function revokeRecords(context: CommandContext, names: readonly string[]): Promise<number> {
  const { terminal, options } = context;
  if (names.length === 0) throw usageError("--revoke wants names", "hostside trust --list shows what was decided");
  const { trust } = await loadConfigured(context);
  const records = await trust.list();
  const all = records.map(({ serverId }) => serverId);
  const missing = names.find((name) => !all.includes(name));
  if (missing !== undefined) {
    throw usageError(
      `nothing was decided about ${JSON.stringify(missing)}`,
      serversMeant(missing, all) ?? "hostside trust --list shows what was decided",
    );
  }
  const revoked: { readonly name: string; readonly count: number }[] = [];
  for (const name of names) revoked.push({ name, count: await trust.revoke({ serverId: name }) });
  if (options.json === true) printJson(terminal, { revoked });
  else for (const { name, count } of revoked) terminal.out(`${quoteText(name)}: ${count} forgotten\n`);
  return exitCodes.pass;
}

/** What was decided about a server, as `--list` shows it. */
export interface ShownRecord {
  readonly name: string;
  readonly answer: TrustAnswer;
  readonly folder: string;
  readonly file?: string | undefined;
  /** ISO 8601. */
  readonly answeredAt: string;
}

/** What was decided, as a table. Pure. */
function renderRecords(records: readonly ShownRecord[], terminal: Terminal): string {
  if (records.length === 0) return "Nothing was decided about any server of a project.\n";
  const rows = records.map(({ name, answer, folder, file, answeredAt }) => [
    { text: name, style: "name" } as const,
    { text: answer === "trust" ? "trusted" : "refused", style: answer === "trust" ? "good" : "bad" } as const,
    { text: answeredAt.slice(0, 10), style: "dim" } as const,
    showPath(file ?? folder, terminal),
  ]);
  const layout = [{ least: 8 }, {}, { optional: true }, { least: 20 }];
  return `${renderTable(rows, { layout, columns: terminal.columns, paint: terminal.paint }).join("\n")}\n`;
}
