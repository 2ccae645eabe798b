import type { ToolDefinition } from "@hostside/core";
import { foldCase, quoteText, unknownToolError, type AbsentServer } from "@hostside/core/implement";
import { hostsideNaming, toolNamePrefix } from "@hostside/naming";
import type { ServerStatus } from "@hostside/provider";
import { unknownServer } from "./known-server.ts";
import { usageError } from "../exit-codes.ts";
import type { CommandContext, OpenedHost } from "../command-context.ts";
import { openHost, type OpenHostRequest } from "./open-host.ts";

const mostListed = 8;

/** Tools to search. A `Host` is one. */
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
  const [first, ...others] = found;
  if (first === undefined) throw unknownTool(typed, tools);
  if (others.length === 0) return first;
  throw usageError(`${quote(typed)} is a tool of ${found.length} servers`, `Name one of: ${list(found.map(pathOf))}`);
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
    (id) => folded.startsWith(`${foldCase(id)}/`) || folded.startsWith(foldCase(toolNamePrefix(id, hostsideNaming))),
  );
  return others.length === 0 ? found : undefined;
}

/** `server/tool`; the local name of a tool that is on no server. */
export function pathOf({ name, origin }: ToolDefinition): string {
  return origin === undefined || origin.serverId === "" ? name : `${origin.serverId}/${origin.toolName}`;
}

function unknownTool(typed: string, tools: ToolsAtHand): Error {
  const statuses = tools.statuses();
  const absent: AbsentServer[] = statuses.flatMap(({ id, state, error }) =>
    state === "ready" ? [] : [{ id, state, code: error?.code }],
  );
  const error = unknownToolError(typed, tools.tools(), absent);
  const ids = statuses.map(({ id }) => id);
  // A remote name may have a `/`, too.
  const [, server] = /^([^/]+)\//.exec(typed) ?? [];
  const isThere = server === undefined || ids.some((id) => foldCase(id) === foldCase(server));
  return isThere || error.details.suggestions !== undefined ? error : unknownServer(server, ids);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).map(quote).join(", ");
  return names.length > mostListed ? `${shown} and ${names.length - mostListed} more` : shown;
}

function quote(name: string): string {
  return quoteText(name, 200);
}

/** A tool, and the host that has it; who gets it closes the host. */
export interface ToolOnHost {
  readonly opened: OpenedHost;
  readonly definition: ToolDefinition;
}

/**
 * Opens a host for a tool: with the one server that must have it, where that is known before
 * anything is started, and with all of them when that one does not have it after all. Throws what
 * its server failed with where there are no tools because of that, and a usage error for a tool
 * that nobody has.
 */
export async function findServerAndTool(
  typed: string,
  context: CommandContext,
  request: Omit<OpenHostRequest, "only">,
): Promise<ToolOnHost> {
  let serverId: string | undefined;
  const choose = (serverIds: readonly string[]): readonly string[] | undefined => {
    serverId = likelyServerOf(typed, serverIds);
    return serverId === undefined ? undefined : [serverId];
  };
  const first = await openHost(context, { ...request, only: choose });
  const found = await closeOnError(first, () => {
    const isThere = searchTool(typed, first.host.tools()).length === 1;
    if (!isThere) throwFailureOf(first, serverId);
    // By `server/tool` no other server is meant. By a name of old, another one may have the tool
    // now.
    const isNamed = serverId !== undefined && foldCase(typed).startsWith(`${foldCase(serverId)}/`);
    return isThere || serverId === undefined || isNamed ? findTool(typed, first.host) : undefined;
  });
  if (found !== undefined) return { opened: first, definition: found };
  await first[Symbol.asyncDispose]();
  const opened = await openHost(context, request);
  return { opened, definition: await closeOnError(opened, () => findTool(typed, opened.host)) };
}

async function closeOnError<T>(opened: OpenedHost, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

// That a tool is unknown is no news where its server did not come up.
function throwFailureOf({ host }: OpenedHost, serverId: string | undefined): void {
  const statuses = host.statuses();
  const status = statuses.length === 1 ? statuses[0] : statuses.find(({ id }) => id === serverId);
  if (status?.error !== undefined && status.state !== "ready") throw status.error;
}
