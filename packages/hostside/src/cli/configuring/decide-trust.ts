import type { AskTrust, Trust, TrustAnswer, TrustQuestion } from "@hostside/config";
import type { LoadedConfig } from "@hostside/config/node";
import { HostsideError } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { askTrust, describeTrust } from "../opening/asking/ask-user.ts";
import { canAsk, terminalAsker } from "../opening/asking/terminal-asker.ts";
import { loadConfigured } from "../opening/config-files.ts";
import { exactServer, serversMeant, sourcePlaceOf } from "../opening/known-server.ts";
import { printResult, shortPath } from "../render/print.ts";
import { renderTable } from "../render/render-table.ts";

/** Arguments of `trust`. At most one of the flags. */
export interface TrustArguments {
  readonly names: readonly string[];
  readonly list?: boolean | undefined;
  readonly revoke?: boolean | undefined;
}

/** Asks about the servers that a project brings; lists and forgets answers. */
export const decideTrust: CommandWork<TrustArguments> = async ({ names, list, revoke }, context) => {
  if (list === true && revoke === true) throw usageError("--list and --revoke are two things", "leave one of them out");
  if (list === true) return listRecords(names, context);
  return revoke === true ? revokeRecords(names, context) : decide(names, context);
};

async function decide(names: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  const decisions: { readonly name: string; readonly folder: string; readonly answer: TrustAnswer }[] = [];
  const open: TrustQuestion[] = [];
  const tooLong: TrustQuestion[] = [];
  const asker = terminalAsker(terminal);
  const asked = new Set<string>();
  let isOver = !canAsk(context);
  const ask = askTrust(asker, () => (isOver = true));
  const answerTo: AskTrust = async (question, signal) => {
    if (names.length > 0 && !names.includes(question.serverId)) return undefined;
    asked.add(question.fingerprint);
    if (isOver) await asker.alone(async (questions) => questions.show(describeTrust(question)));
    const answer = isOver ? undefined : await ask(question, signal);
    if (answer === undefined) open.push(question);
    else decisions.push({ name: question.serverId, folder: question.folder, answer });
    return answer;
  };
  // A server that was refused and is named is asked about again, and stays refused until there is
  // another answer. Nothing is said to be decided that was not kept.
  const askAgain = (trust: Trust): Trust => ({
    ...trust,
    async decide(entry, options) {
      const verdict = await trust.decide(entry, options);
      if (verdict.trusted) return verdict;
      const { why, question } = verdict;
      if (why === "failed")
        throw new HostsideError(verdict.message, { code: "store_failed", serverId: entry.server.id });
      if (why === "too-long") tooLong.push(question);
      if (why !== "refused" || !names.includes(entry.server.id) || asked.has(question.fingerprint)) return verdict;
      const answer = await answerTo(question, options?.signal);
      if (answer !== undefined) await trust.remember(entry, answer);
      return answer === "trust" ? { trusted: true } : verdict;
    },
  });
  const { config } = await loadConfigured(context, answerTo, askAgain);
  const known = [...decisions.map(({ name }) => name), ...[...open, ...tooLong].map(({ serverId }) => serverId)];
  for (const name of names) if (!known.includes(name)) throw needsNone(name, config);
  for (const { serverId } of tooLong) {
    const why = "has more than can be shown whole, and nobody is asked: put it into a file of your own";
    terminal.err(`${quoteText(serverId)} ${why}\n`);
  }
  printResult(context, { decisions, open }, () =>
    decisions.length === 0 && open.length === 0
      ? ["There is nothing to decide here."]
      : decisions.map(({ name, answer }) => {
          return `${terminal.paint("name", quoteText(name))} is ${answer === "trust" ? "trusted" : "refused"}`;
        }),
  );
  if (open.length > 0 && !canAsk(context))
    terminal.err("\nThere is nobody here to ask: run hostside trust in a terminal, where it asks\n");
  return open.length + tooLong.length > 0 ? exitCodes.incomplete : exitCodes.pass;
}

function needsNone(name: string, config: LoadedConfig): Error {
  const source = exactServer(config, name);
  const why =
    source.scope === "project" ? "is trusted already, or is off for another reason" : "is your own, and needs no trust";
  return usageError(`${name} of ${sourcePlaceOf(source)} ${why}`, "hostside trust --list shows what was decided");
}

async function listRecords(names: readonly string[], context: CommandContext): Promise<number> {
  const { terminal } = context;
  const { trust } = await loadConfigured(context);
  const records = (await trust.list())
    .filter(({ serverId }) => names.length === 0 || names.includes(serverId))
    .map(({ serverId: name, folder, file, answer, answeredAt }) => {
      return { name, answer, folder, file, answeredAt: new Date(answeredAt).toISOString() };
    });
  return printResult(context, { records }, () => {
    if (records.length === 0) return ["Nothing was decided about any server of a project."];
    const rows = records.map(({ name, answer, folder, file, answeredAt }) => [
      { text: name, style: "name" } as const,
      answer === "trust" ? ({ text: "trusted", style: "good" } as const) : ({ text: "refused", style: "bad" } as const),
      { text: answeredAt.slice(0, 10), style: "dim" } as const,
      shortPath(file ?? folder, terminal),
    ]);
    return renderTable(rows, { ...terminal, layout: [{ least: 8 }, {}, { optional: true }, { least: 20 }] });
  });
}

// To forget a yes takes nothing but trust away, so all answers about a name are forgotten, in every
// project.
async function revokeRecords(names: readonly string[], context: CommandContext): Promise<number> {
  const hint = "hostside trust --list shows what was decided";
  if (names.length === 0) throw usageError("--revoke wants names", hint);
  const { trust } = await loadConfigured(context);
  const all = (await trust.list()).map(({ serverId }) => serverId);
  const missing = names.find((name) => !all.includes(name));
  if (missing !== undefined)
    throw usageError(`nothing was decided about ${JSON.stringify(missing)}`, serversMeant(missing, all) ?? hint);
  const revoked: { readonly name: string; readonly count: number }[] = [];
  for (const name of names) revoked.push({ name, count: await trust.revoke({ serverId: name }) });
  return printResult(context, { revoked }, () =>
    revoked.map(({ name, count }) => `${quoteText(name)}: ${count} forgotten`),
  );
}
