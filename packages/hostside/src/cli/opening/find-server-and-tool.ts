import type { ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { CommandContext } from "../command-context.ts";
import { findTool, searchTool, likelyServerOf } from "./find-tool.ts";
import type { OpenedHost } from "./opened-host.ts";
import { openHost, type OpenHostRequest } from "./open-host.ts";

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
  const found = await closeUnless(first, () => {
    const [one, ...others] = searchTool(typed, first.host.tools());
    if (one !== undefined && others.length === 0) return one;
    throwFailureOf(first, serverId);
    // The server was named: what others have is of no interest. By a name of old, another one may
    // have the tool now.
    const isNamed = serverId !== undefined && foldCase(typed).startsWith(`${foldCase(serverId)}/`);
    return serverId === undefined || isNamed ? findTool(typed, first.host) : undefined;
  });
  if (found !== undefined) return { opened: first, definition: found };
  const all = await openHost(context, request);
  const definition = await closeUnless(all, () => findTool(typed, all.host));
  return { opened: all, definition: definition ?? findTool(typed, all.host) };
}

/** Closes a host where nothing was found in it. */
async function closeUnless(
  opened: OpenedHost,
  find: () => ToolDefinition | undefined,
): Promise<ToolDefinition | undefined> {
  let found: ToolDefinition | undefined;
  try {
    found = find();
    return found;
  } finally {
    if (found === undefined) await opened[Symbol.asyncDispose]();
  }
}

// That a tool is unknown is no news where its server did not come up.
function throwFailureOf({ host }: OpenedHost, serverId: string | undefined): void {
  const statuses = host.statuses();
  const status = statuses.length === 1 ? statuses[0] : statuses.find(({ id }) => id === serverId);
  if (status?.error !== undefined && status.state !== "ready") throw status.error;
}
