import type { ToolDefinition, ToolGroup } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { openHost } from "../opening/open-host.ts";
import { formatCount, formatNumber } from "../render/format-amount.ts";
import { terminalLine } from "../render/one-line.ts";
import { printJson, printLines } from "../render/print.ts";
import { renderTable } from "../render/render-table.ts";
import type { Terminal } from "../terminal.ts";
import { sayWhoIsMissing } from "./search-tools.ts";
import { followStart } from "./start-servers.ts";

/** A group of tools, as a model finds it in the directory. Texts are cleaned. */
export interface GroupReport {
  readonly id: string;
  readonly title: string;
  /** What its tools are about. */
  readonly about: string;
  readonly tools: number;
  /** About how many the definitions of its tools cost a model. */
  readonly tokens: number;
}

/** What `groups --json` prints. */
export interface GroupsReport {
  readonly groups: readonly GroupReport[];
}

/** Shows the directory of groups. */
export const runGroupsCommand: CommandWork<object> = async (_, context) => {
  const { terminal, options } = context;
  await using opened = await openHost(context, { wait: false });
  const end = await followStart(opened, context);
  await using conversation = await opened.host.conversation();
  const abouts = new Map(
    conversation.listGroups({ query: "*" }).groups.map(({ id, description }) => [id, description]),
  );
  const report = describeGroups(conversation.groups(), { definitions: opened.host.tools(), abouts });
  sayWhoIsMissing(opened, context);
  if (options.json === true) printJson(terminal, report);
  else printLines(terminal, renderGroups(report, terminal));
  if (end === "interrupted") return exitCodes.incomplete;
  return report.groups.length === 0 ? exitCodes.fail : exitCodes.pass;
};

/** The groups as data; `abouts`: what the directory says of each. Pure. */
export function describeGroups(
  groups: readonly ToolGroup[],
  from: { readonly definitions: readonly ToolDefinition[]; readonly abouts: ReadonlyMap<string, string> },
): GroupsReport {
  const costs = new Map(from.definitions.map((tool) => [tool.name, estimateDefinitionTokens(tool)]));
  return {
    groups: groups.map(({ id, title, description, members }) => ({
      id,
      title: terminalLine(title, 256),
      about: terminalLine(from.abouts.get(id) ?? description, 300),
      tools: members.length,
      tokens: members.reduce((sum, name) => sum + (costs.get(name) ?? 0), 0),
    })),
  };
}

/** A group in a line. Pure. */
export function renderGroups({ groups }: GroupsReport, view: Pick<Terminal, "columns" | "paint">): readonly string[] {
  if (groups.length === 0) return ["There are no groups: no server has tools. See hostside list."];
  const rows = groups.map(({ id, title, about, tools, tokens }) => [
    { text: id, style: "name" as const },
    title,
    formatCount(tools, "tool"),
    { text: `~${formatNumber(tokens)} tokens`, style: "dim" as const },
    about,
  ]);
  const layout = [
    { least: 14 },
    { least: 8, optional: true },
    { align: "right" },
    { align: "right", optional: true },
    { least: 16, optional: true },
  ] as const;
  return renderTable(rows, { ...view, layout });
}
