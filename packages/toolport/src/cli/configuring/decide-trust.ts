import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { findProjectFolder, type TrustAnswer, type TrustQuestion, type TrustRecord } from "@toolport/config";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { askTrust, describeTrust } from "../host/asking/ask-trust.ts";
import type { Asker } from "../host/asking/asker.ts";
import { terminalAsker } from "../host/asking/terminal-asker.ts";
import { nearNames } from "../program/near-names.ts";
import { usageError } from "../usage-error.ts";
import { findSource, loadConfigured, placeOf, type Configured } from "./load-configured.ts";
import { renderRecords, type ShownRecord } from "./render-trust.ts";

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

/** Asks about the servers that a project brings, or takes answers from the command line; lists and forgets them. */
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
      "toolport trust shows what there is to decide",
    );
  }
  return decide(args, context);
};

async function decide({ names, yes, refuse }: TrustArguments, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const said: TrustAnswer | undefined = yes === true ? "trust" : refuse === true ? "refuse" : undefined;
  const canDecide = said !== undefined || terminal.canAsk;
  const before = await loadConfigured(context);
  // Somebody who names one that was refused wants to be asked again.
  const known = names.length === 0 ? [] : await refusedHere(names, before, context);
  if (canDecide) for (const { folder, file, serverId } of known) await before.trust.revoke({ folder, file, serverId });
  const decisions: Decision[] = [];
  const wants = ({ serverId }: TrustQuestion): boolean => names.length === 0 || names.includes(serverId);
  const asker = terminalAsker(terminal);
  let isOver = false;
  const ask = askTrust(asker, () => (isOver = true));
  const { config } = await loadConfigured(context, async (question, signal) => {
    if (!wants(question) || !canDecide || isOver) return undefined;
    if (said !== undefined) await show(asker, [question]);
    const answer = said ?? (await ask(question, signal));
    if (answer !== undefined) decisions.push({ name: question.serverId, folder: question.folder, answer });
    return answer;
  });
  const open = config.questions.filter(wants);
  for (const name of names) if (!isDecided(name, decisions, open)) assertNeedsNone(name, { config, known, canDecide });
  if (!canDecide) {
    await show(asker, open);
    if (open.length > 0 || known.length > 0) throw nobodyToAsk(open.map(({ serverId }) => serverId));
  }
  return report(decisions, open, context);
}

async function show(asker: Asker, questions: readonly TrustQuestion[]): Promise<void> {
  await asker.alone(async (ask) => ask.show(questions.flatMap(describeTrust)));
}

function isDecided(name: string, decisions: readonly Decision[], open: readonly TrustQuestion[]): boolean {
  return decisions.some((one) => one.name === name) || open.some(({ serverId }) => serverId === name);
}

interface Asked extends Pick<Configured, "config"> {
  readonly known: readonly TrustRecord[];
  readonly canDecide: boolean;
}

function assertNeedsNone(name: string, { config, known, canDecide }: Asked): void {
  if (!canDecide && known.some(({ serverId }) => serverId === name)) return;
  const source = findSource(config, name);
  const why =
    source.scope === "project" ? "is trusted already, or is off for another reason" : "is your own, and needs no trust";
  throw usageError(`${name} of ${placeOf(source)} ${why}`, "toolport trust --list shows what was decided");
}

async function refusedHere(
  names: readonly string[],
  { trust }: Configured,
  { terminal }: CommandContext,
): Promise<readonly TrustRecord[]> {
  const { env, home, platform, cwd } = terminal;
  const project = findProjectFolder({ env, home, platform, cwd, exists: existsSync });
  const folder = project === undefined ? undefined : await realpath(project);
  const records = await trust.list();
  return records.filter((one) => one.answer === "refuse" && names.includes(one.serverId) && one.folder === folder);
}

function nobodyToAsk(names: readonly string[]): Error {
  return usageError(
    "nothing was decided: there is nobody here to ask",
    `toolport trust --yes ${names.length === 0 ? "NAME" : names.join(" ")}, or --refuse`,
  );
}

function report(
  decisions: readonly Decision[],
  open: readonly TrustQuestion[],
  { terminal, options }: CommandContext,
): number {
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ decisions, open })}\n`);
  } else {
    for (const { name, answer } of decisions) {
      terminal.out(
        `${terminal.paint("name", JSON.stringify(name))} is ${answer === "trust" ? "trusted" : "refused"}\n`,
      );
    }
    if (decisions.length === 0 && open.length === 0) terminal.out("There is nothing to decide here.\n");
  }
  return open.length > 0 ? exitCodes.incomplete : exitCodes.pass;
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
  if (options.json === true) terminal.out(`${JSON.stringify({ records })}\n`);
  else terminal.out(renderRecords(records, terminal));
  return exitCodes.pass;
}

// To forget a yes takes nothing but trust away, so that all of a name are forgotten, wherever they are.
async function revokeRecords(context: CommandContext, names: readonly string[]): Promise<number> {
  const { terminal, options } = context;
  if (names.length === 0) throw usageError("--revoke wants names", "toolport trust --list shows what was decided");
  const { trust } = await loadConfigured(context);
  const records = await trust.list();
  const all = records.map(({ serverId }) => serverId);
  const missing = names.find((name) => !all.includes(name));
  if (missing !== undefined) {
    const [near] = nearNames(missing, all);
    throw usageError(
      `nothing was decided about ${JSON.stringify(missing)}`,
      near === undefined ? "toolport trust --list shows what was decided" : `Did you mean ${near}?`,
    );
  }
  const revoked: { readonly name: string; readonly count: number }[] = [];
  for (const name of names) revoked.push({ name, count: await trust.revoke({ serverId: name }) });
  if (options.json === true) terminal.out(`${JSON.stringify({ revoked })}\n`);
  else for (const { name, count } of revoked) terminal.out(`${JSON.stringify(name)}: ${count} forgotten\n`);
  return exitCodes.pass;
}
