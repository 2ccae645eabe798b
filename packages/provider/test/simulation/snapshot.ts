import type { ToolDefinition } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";

/** Tools by remote name, with the version in which each was last changed. */
export type ShownTools = ReadonlyMap<string, number>;

/** What a provider shows, by server. */
export type Snapshot = ReadonlyMap<string, ShownTools>;

// The same array of definitions is read again and again, after every step of a run.
const snapshots = new WeakMap<readonly ToolDefinition[], Snapshot>();

/** Reads what a provider shows. */
export function readSnapshot(provider: McpProvider): Snapshot {
  const definitions = provider.tools();
  const snapshot = snapshots.get(definitions) ?? byServer(definitions);
  snapshots.set(definitions, snapshot);
  return snapshot;
}

function byServer(definitions: readonly ToolDefinition[]): Snapshot {
  const servers = new Map<string, Map<string, number>>();
  for (const { origin, description } of definitions) {
    if (origin === undefined) continue;
    const tools = servers.get(origin.serverId) ?? new Map<string, number>();
    servers.set(origin.serverId, tools.set(origin.toolName, Number(/version (\d+)$/.exec(description)?.[1])));
  }
  return servers;
}

/** Whether two pictures of one server are the same. */
export function sameTools(a: ShownTools, b: ShownTools | undefined): boolean {
  return b !== undefined && a.size === b.size && Array.from(a).every(([name, version]) => b.get(name) === version);
}

/** Whether one picture of a server has nothing that the other has not. */
export function isPartOf(a: ShownTools, b: ShownTools | undefined): boolean {
  return b !== undefined && Array.from(a).every(([name, version]) => b.get(name) === version);
}
