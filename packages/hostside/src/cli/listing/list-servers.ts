import type { CommandContext, CommandWork, OpenedHost, TypedServer } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { knownServer, problemLines } from "../opening/known-server.ts";
import { openHost } from "../opening/open-host.ts";
import { followStart, startTimeoutMs } from "../opening/start-servers.ts";
import { printJson, printLines, formatCount, formatDuration, formatTokens, shortPath } from "../render/print.ts";
import { renderTable, type Cell, type TableColumn } from "../render/render-table.ts";
import { fileWords, terminalLine, shellLine, serverWords } from "../render/render-text.ts";
import { cutToWidth, wrapText } from "../render/text-width.ts";
import type { Style, Terminal } from "../terminal.ts";
import { renderServerTools, renderToolGroups } from "./render-tools.ts";
import { describeServers, type Listing, type ListedServer } from "./server-report.ts";

/** Arguments of `list`. */
export interface ListArguments {
  readonly server: string | undefined;
  /** `true`: tools are shown. */
  readonly tools: boolean;
  /** `true`: the file of each server is shown. */
  readonly where?: boolean | undefined;
}

/** Shows the servers as they come up, and the tools of those that did. */
export const listServers: CommandWork<ListArguments> = async (args, context) => {
  const { terminal, options } = context;
  const only = args.server === undefined ? undefined : [args.server];
  await using opened = await openHost(context, { only, off: "show", wait: false });
  const server = idOf(args.server, opened);
  const { end, lastLines } = await followStart(opened, context, server);
  const { host, provider } = opened;
  const listing = describeServers({
    config: host.config,
    statuses: host.statuses(),
    // Ctrl-C closes the host, and what is known is shown all the same.
    definitions: host.toolbox.tools(),
    quarantined: provider.quarantined(),
    waitedMs: end === "interrupted" ? undefined : startTimeoutMs(context),
    lastLines,
    server,
  });
  if (options.json === true) printJson(terminal, args.tools ? listing : { ...listing, tools: [] });
  else show(listing, { ...args, server }, context);
  return end === "interrupted" ? exitCodes.incomplete : listExitCode(listing, server);
};

// As its entry has it, however a person typed it.
function idOf(typed: string | undefined, { host: { config } }: OpenedHost): string | undefined {
  return typed === undefined || config === undefined ? typed : knownServer(config, typed).serverId;
}

function show(listing: Listing, { server, tools, where }: ListArguments, context: CommandContext): void {
  const { terminal, options } = context;
  const view = { ...terminal, where, common: fileWords(options), typed: options.typed };
  printLines(terminal, renderServers(listing, view));
  // Errors, and with `--verbose` everything, were written when the host was opened. What is not
  // trusted stands among the servers.
  const warnings = listing.problems.filter(
    ({ severity, code }) => severity === "warning" && code !== "untrusted_server",
  );
  for (const line of options.verbose || options.quiet ? [] : problemLines(warnings, context)) terminal.err(`${line}\n`);
  if (!tools) return;
  if (server === undefined) printLines(terminal, renderToolGroups(listing, terminal));
  else printLines(terminal, renderServerTools(listing.tools, terminal));
}

/**
 * Returns the exit code of `list`: if every server that should be there is ready, or why the one
 * that was asked for is not. Pure.
 */
export function listExitCode({ servers, problems }: Pick<Listing, "servers" | "problems">, server?: string): number {
  if (server !== undefined) return exitCodeOfOne(servers.find(({ id }) => id === server));
  const isWell = servers.every(
    ({ state, undecided }) => state === "ready" || (state === "disabled" && undecided !== true),
  );
  // A file that cannot be read had servers in it, as far as anybody knows.
  const isWhole = problems.every(({ severity, serverId }) => severity === "warning" || serverId !== undefined);
  return isWell && isWhole ? exitCodes.pass : exitCodes.fail;
}

const codes: Readonly<Record<ListedServer["state"], number>> = {
  ready: exitCodes.pass,
  disabled: exitCodes.fail,
  invalid: exitCodes.usage,
  "needs-auth": exitCodes.authRequired,
  late: exitCodes.unreachable,
  failed: exitCodes.unreachable,
  down: exitCodes.unreachable,
};

function exitCodeOfOne(server: ListedServer | undefined): number {
  const code = server === undefined ? exitCodes.fail : codes[server.state];
  return code === exitCodes.unreachable && server?.error?.kind === "auth" ? exitCodes.authRequired : code;
}

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
