import type { CommandContext, CommandWork, OpenedHost } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { openHost } from "../opening/open-host.ts";
import { formatCount, formatNumber, printResult } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { wrapText } from "../render/text-width.ts";
import { renderTable } from "../render/render-table.ts";
import type { Terminal } from "../terminal.ts";
import { toolBriefOf, type ToolBrief } from "./render-tools.ts";
import { followStart } from "../opening/start-servers.ts";

/** Arguments of `search`. */
export interface SearchArguments {
  readonly words: readonly string[];
  /** Most tools to show. */
  readonly limit: number;
}

/** The output of `search --json`. */
export interface SearchReport {
  readonly query: string;
  readonly tools: readonly ToolBrief[];
  readonly totalTools: number;
}

/** Shows which tools a model would find for these words, the best first. */
export const runSearchCommand: CommandWork<SearchArguments> = async ({ words, limit }, context) => {
  const { terminal } = context;
  const query = words.join(" ");
  await using opened = await openHost(context, { wait: false });
  const { end } = await followStart(opened, context);
  const { host } = opened;
  await using conversation = await host.conversation();
  const { tools, omitted_tools: omitted } = await conversation.searchTools({ query, limit });
  const names = [...tools.map(({ name }) => name), ...(omitted?.names ?? [])];
  const report = { query, tools: host.tools(names).map(toolBriefOf), totalTools: host.tools().length };
  sayWhoIsMissing(opened, context);
  printResult(context, report, () => renderFound(report, terminal));
  if (end === "interrupted") return exitCodes.incomplete;
  return report.tools.length > 0 ? exitCodes.pass : exitCodes.fail;
};

/** Says on stderr which servers have no part in what is shown. */
export function sayWhoIsMissing({ host }: OpenedHost, { terminal }: CommandContext): void {
  const missing = host.statuses().filter(({ state }) => state !== "ready" && state !== "disabled");
  if (missing.length === 0) return;
  const names = terminalLine(missing.map(({ id }) => id).join(", "), 200);
  const text = `without ${formatCount(missing.length, "server")} not ready: ${names}; see hostside list`;
  terminal.err(`${terminal.paintErr("warn", "warning:")} ${text}\n`);
}

/** Renders the found tools, one a line. Pure. */
export function renderFound(
  { query, tools, totalTools }: SearchReport,
  view: Pick<Terminal, "columns" | "paint">,
): readonly string[] {
  if (tools.length === 0) {
    const nothing = `Nothing found for "${terminalLine(query, 200)}" among ${formatCount(totalTools, "tool")}.`;
    const advice = "Say in other words what the tool does, give the beginning of its name, or see hostside list.";
    return [nothing, advice].flatMap((line) => wrapText(line, { width: view.columns }));
  }
  const rows = tools.map(({ name, tokens, description, title = "" }) => [
    { text: name, style: "name" as const },
    { text: `~${formatNumber(tokens)}`, style: "dim" as const },
    terminalLine(description) || title,
  ]);
  const layout = [{ least: 20 }, { align: "right", optional: true }, { least: 16, optional: true }] as const;
  return renderTable(rows, { ...view, layout });
}
