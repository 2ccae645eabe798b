import type { Style, Terminal } from "../terminal.ts";
import { formatCount, formatDuration, formatTokens, shortPath } from "../render/print.ts";
import { terminalLine, shellLine, serverWords } from "../render/render-text.ts";
import { cutToWidth, wrapText } from "../render/text-width.ts";
import { renderTable, type Cell, type TableColumn } from "../render/render-table.ts";
import type { ListedServer, Listing } from "./server-report.ts";
import type { TypedServer } from "../command-context.ts";

/** How servers are shown. */
export interface ServersView extends Pick<Terminal, "columns" | "paint" | "cwd" | "home"> {
  /** `true`: the file of each is shown. Default `false`. */
  readonly where?: boolean | undefined;
  /** Options of every shown command, so that a copied one does the same: `--config other.json`. */
  readonly common?: readonly string[] | undefined;
  readonly typed?: TypedServer | undefined;
}

interface Look {
  readonly sign: string;
  readonly words: string;
  readonly style: Style;
}

const looks: Readonly<Record<ListedServer["state"], Look>> = {
  ready: { sign: "✓", words: "ready", style: "good" },
  "needs-auth": { sign: "!", words: "needs sign-in", style: "warn" },
  late: { sign: "!", words: "not ready", style: "warn" },
  down: { sign: "✗", words: "lost", style: "bad" },
  failed: { sign: "✗", words: "failed", style: "bad" },
  invalid: { sign: "✗", words: "cannot be used", style: "bad" },
  disabled: { sign: "○", words: "disabled", style: "dim" },
};

/** Sign, words and style of a server. */
export function lookOf({ state, off }: ListedServer): Look {
  if (off === "untrusted") return { sign: "!", words: "not trusted", style: "warn" };
  if (off === "not allowed") return { ...looks.disabled, words: "not allowed" };
  // Of servers that are listed at all, what nobody wants is this program itself.
  if (off === "not wanted") return { ...looks.disabled, words: "left out" };
  return looks[state];
}

const layout: readonly TableColumn[] = [
  {},
  { least: 12 },
  {},
  { optional: true },
  { align: "right" },
  { align: "right", optional: true },
  { least: 12 },
];

/**
 * Every server in a line, below it why it is not ready and the command that mends that; last how
 * many there are.
 */
export function renderServers(listing: Listing, view: ServersView): readonly string[] {
  const { servers, tools } = listing;
  if (servers.length === 0) return ["No servers are configured.", "Bring in those that you have: hostside init"];
  const rows = renderTable(
    servers.map((server) => rowOf(server)),
    { ...view, layout },
  );
  const lines = servers.flatMap((server, index) => [rows[index] ?? "", ...detailsOf(server, view)]);
  if (servers.length === 1) return lines;
  const ready = servers.filter(({ state }) => state === "ready").length;
  const ofServers = tools.filter(({ server }) => server !== "");
  const tokens = ofServers.reduce((sum, tool) => sum + tool.tokens, 0);
  const sum = `${ready} of ${servers.length} servers ready, ${formatCount(ofServers.length, "tool")}, ${formatTokens(tokens)}`;
  return [...lines, view.paint("dim", cutToWidth(sum, view.columns))];
}

function rowOf(server: ListedServer): readonly (Cell | string)[] {
  const { id, state, protocolVersion = "", tools, connectMs, listMs = 0 } = server;
  const { sign, words, style } = lookOf(server);
  const isReady = state === "ready";
  return [
    { text: sign, style },
    { text: id, style: "name" },
    { text: words, style },
    isReady ? protocolVersion : "",
    isReady || tools > 0 ? formatCount(tools, "tool") : "",
    isReady && connectMs !== undefined ? formatDuration(connectMs + listMs) : "",
  ];
}

function placeOf({ scope = "", file, line }: ListedServer, view: ServersView): string {
  const place = file === undefined ? "" : [shortPath(file, view), line].filter((part) => part !== undefined).join(":");
  return [scope, place].filter((part) => part !== "").join(" ");
}

const reasons: Readonly<Record<string, string>> = {
  untrusted: "a project brings it, and nobody has said that it is trusted",
  "not allowed": "a list of allowed or denied servers leaves it out",
  "not wanted": "it is hostside serve itself: what it serves is here",
};

function detailsOf(server: ListedServer, view: ServersView): readonly string[] {
  const { columns, paint, common = [], typed } = view;
  const { error, mend, off, file, over = [], droppedTools = 0, quarantinedTools = 0 } = server;
  const isOffElsewhere = off === "disabled" && mend === undefined && file !== undefined;
  const indent = "    ";
  const notes = [
    ...(error === undefined ? [] : [error.message]),
    ...(off === undefined || reasons[off] === undefined ? [] : [reasons[off]]),
    ...(isOffElsewhere ? [`off in ${terminalLine(placeOf({ ...server, scope: "" }, view))}: switch it on there`] : []),
    ...(droppedTools === 0 ? [] : [`${formatCount(droppedTools, "entry", "entries")} of its list cannot be used`]),
    ...(quarantinedTools === 0 ? [] : [`${formatCount(quarantinedTools, "tool")} held back until somebody approves`]),
  ];
  const place = view.where === true ? terminalLine(placeOf(server, view)) : "";
  const others = over.map((one) => `not used: the entry of this name in ${terminalLine(shortPath(one, view))}`);
  const ofTyped = typed && mend?.flatMap((word) => serverWords(word, typed));
  const mendWords = ofTyped === undefined ? [...(mend ?? []), ...common] : [...common, ...ofTyped];
  const command = mend === undefined ? [] : [paint("name", `${indent}hostside ${shellLine(mendWords)}`)];
  return [
    // Whole as well: half a path leads nowhere.
    ...[place, ...others].filter((line) => line !== "").map((line) => paint("dim", `${indent}${line}`)),
    ...notes.flatMap((note) => wrapText(note, { width: columns, indent })),
    ...(error?.stderr ?? []).map((line) => paint("dim", cutToWidth(`${indent}| ${line}`, columns))),
    // A command is whole, so that it can be copied; a terminal wraps it.
    ...command,
  ];
}
