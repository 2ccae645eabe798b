import type { ToolDefinition } from "@hostside/core";
import { describeAbsent, foldCase, quoteText, type AbsentServer } from "@hostside/core/implement";
import { hostsideNaming, toolNamePrefix } from "@hostside/naming";
import type { ServerStatus } from "@hostside/provider";
import { didYouMean, nearNames } from "../program/near-names.ts";
import { serversMeant } from "./known-server.ts";
import { usageError, type UsageError } from "../usage-error.ts";

const mostListed = 8;

/** What tools are looked for in; a `Host` is one. */
export interface ToolsAtHand {
  tools(): readonly ToolDefinition[];
  statuses(): readonly ServerStatus[];
}

/**
 * The tool that somebody means: by its local name, as `server/tool` (the first `/` divides), or by
 * its remote name where one server alone has it; each as it is written, or else with ASCII letters
 * in another case. Throws a usage error that lists what may have been meant.
 */
export function findTool(typed: string, tools: ToolsAtHand): ToolDefinition {
  const found = searchTool(typed, tools.tools());
  if (found.length === 1 && found[0] !== undefined) return found[0];
  throw found.length > 1 ? severalError(typed, found) : noneError(typed, tools);
}

/**
 * All tools that are meant by what somebody typed: none, one, or several of the same remote name.
 */
export function searchTool(typed: string, definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const folded = foldCase(typed);
  for (const nameOf of ways) {
    const exact = definitions.filter((tool) => nameOf(tool) === typed);
    if (exact.length > 0) return exact;
    const similar = definitions.filter((tool) => foldCase(nameOf(tool) ?? "") === folded);
    if (similar.length > 0) return similar;
  }
  return [];
}

const ways: readonly ((tool: ToolDefinition) => string | undefined)[] = [
  ({ name }) => name,
  (tool) => pathOf(tool),
  ({ origin }) => origin?.toolName,
];

/**
 * The server that a tool is on, by its name alone: `server/tool`, or a local name that begins as
 * those of one server do. `undefined`: it may be on any.
 */
export function likelyServerOf(typed: string, serverIds: readonly string[]): string | undefined {
  const folded = foldCase(typed);
  const [found, ...others] = serverIds.filter(
    (id) =>
      folded.startsWith(`${foldCase(id)}/`) || folded.startsWith(foldCase(toolNamePrefix(id, hostsideNaming))),
  );
  return others.length === 0 ? found : undefined;
}

/** `server/tool`; the local name of a tool that is on no server. */
export function pathOf({ name, origin }: ToolDefinition): string {
  return origin === undefined || origin.serverId === "" ? name : `${origin.serverId}/${origin.toolName}`;
}

function severalError(typed: string, found: readonly ToolDefinition[]): UsageError {
  return usageError(`${quote(typed)} is a tool of ${found.length} servers`, `Name one of: ${list(found.map(pathOf))}`);
}

function noneError(typed: string, tools: ToolsAtHand): UsageError {
  const statuses = tools.statuses();
  const absent: AbsentServer[] = statuses.flatMap(({ id, state, error }) =>
    state === "ready" ? [] : [{ id, state, code: error?.code }],
  );
  const near = nearTools(typed, tools.tools()).map(quote);
  const ids = statuses.map(({ id }) => id);
  const server = missingServer(typed, ids);
  const meant = didYouMean(near) ?? (server === undefined ? undefined : serversMeant(server, ids));
  const advice = meant ?? 'See "hostside list" for all tools.';
  const message = `there is no tool ${quote(typed)}${server === undefined ? "" : `, and no server ${quote(server)}`}`;
  return usageError(absent.length === 0 ? message : `${message}; ${describeAbsent(absent)}`, advice);
}

/**
 * The server that is named before the first `/` and is not there. A remote name may have a `/`,
 * too.
 */
function missingServer(typed: string, ids: readonly string[]): string | undefined {
  const [, server] = /^([^/]+)\//.exec(typed) ?? [];
  return server === undefined || ids.some((id) => foldCase(id) === foldCase(server)) ? undefined : server;
}

function nearTools(typed: string, definitions: readonly ToolDefinition[]): readonly string[] {
  const owners = new Map<string, string>();
  for (const tool of definitions) {
    const { name, origin } = tool;
    for (const known of [name, pathOf(tool), origin?.toolName ?? name]) if (!owners.has(known)) owners.set(known, name);
  }
  return [...new Set(nearNames(typed, owners.keys()).map((known) => owners.get(known) ?? known))];
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).map(quote).join(", ");
  return names.length > mostListed ? `${shown} and ${names.length - mostListed} more` : shown;
}

function quote(name: string): string {
  return quoteText(name, 200);
}
