import { cleanText, type ToolDefinition, type ToolEffect } from "@hostside/core";
import { estimateDefinitionTokens } from "@hostside/discovery";
import type { Terminal } from "../terminal.ts";
import { formatCount, formatTokens } from "../render/print.ts";
import { cleanLines, terminalLine } from "../render/render-text.ts";
import { cutToWidth, wrapText } from "../render/text-width.ts";
import { renderTable } from "../render/render-table.ts";

/** A tool in lists. Texts are cleaned. */
export interface ToolBrief {
  /** The local name. */
  readonly name: string;
  /** Id of its server; `""` for the host's own. */
  readonly server: string;
  /** The remote name, byte for byte. */
  readonly tool: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly effect: ToolEffect;
  /** About how many its definition costs a model. */
  readonly tokens: number;
}

/** Describes a tool for lists. Pure. */
export function toolBriefOf(definition: ToolDefinition): ToolBrief {
  const { name, origin, title, annotations, effect = "external" } = definition;
  const shown = title ?? annotations?.title;
  return {
    name,
    server: origin?.serverId ?? "",
    tool: origin?.toolName ?? name,
    ...(shown !== undefined && { title: cleanText(shown, 256) }),
    description: cleanText(ownWords(definition), 8192),
    effect,
    tokens: estimateDefinitionTokens(definition),
  };
}

/** The server's own description of a tool, without the words that the host puts before it. */
function ownWords({ entry, description }: ToolDefinition): string {
  const own = entry?.["description"];
  if (typeof own === "string") return own;
  return entry === undefined ? description : "";
}

type View = Pick<Terminal, "columns" | "paint">;

/** Tools, and the servers that they are of. */
export interface ShownTools {
  readonly servers: readonly { readonly id: string; readonly title?: string | undefined }[];
  readonly tools: readonly ToolBrief[];
}

/**
 * Tools by server, each in a line: its remote name and the start of its description. Last those of
 * the host itself.
 */
export function renderToolGroups({ servers, tools }: ShownTools, view: View): readonly string[] {
  const groups = servers.flatMap(({ id, title }) =>
    renderGroup({ name: id, title, tools: tools.filter(({ server }) => server === id) }, view),
  );
  const own = {
    name: "hostside",
    title: "of this host, not of a server",
    tools: tools.filter(({ server }) => server === ""),
  };
  return [...groups, ...renderGroup(own, view)];
}

interface Group {
  readonly name: string;
  readonly title: string | undefined;
  readonly tools: readonly ToolBrief[];
}

function renderGroup({ name, title, tools }: Group, view: View): readonly string[] {
  if (tools.length === 0) return [];
  const tokens = formatTokens(tools.reduce((sum, tool) => sum + tool.tokens, 0));
  const shown = title === undefined || title === name ? "" : terminalLine(title, 200);
  const [heading = ""] = renderTable(
    [[{ text: name, style: "bold" }, shown, { text: `${formatCount(tools.length, "tool")}, ${tokens}`, style: "dim" }]],
    { ...view, layout: [{ least: 12 }, { least: 8, optional: true }, {}] },
  );
  const rows = tools.map(({ tool, title: own = "", description }) => [
    { text: tool, style: "name" as const },
    terminalLine(description) || own,
  ]);
  const lines = renderTable(rows, { ...view, indent: "  ", layout: [{ least: 14 }, { least: 16 }] });
  return ["", heading, ...lines];
}

/** Tools of one server: full name, effect, tokens, and the beginning of their descriptions. */
export function renderServerTools(tools: readonly ToolBrief[], { columns, paint }: View): readonly string[] {
  return tools.flatMap(({ name, effect, tokens, title = "", description }) => {
    const text = cleanLines(description.trim() === "" ? title : description).join("\n");
    const [first = ""] = text.split(/\n\s*\n/);
    const width = Math.min(columns, 100);
    const lines = wrapText(terminalLine(first, 300), { width, indent: "    " });
    const facts = cutToWidth(`    ${effect}, ${formatTokens(tokens)}`, columns);
    return [
      "",
      paint("name", terminalLine(name, 200)),
      paint("dim", facts),
      ...lines.filter((line, at) => at > 0 || line !== ""),
    ];
  });
}
