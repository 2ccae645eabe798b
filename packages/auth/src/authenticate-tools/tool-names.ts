import { foldCase } from "@hostside/core/implement";
import {
  assignNames,
  assertNamingStrategy,
  emptyNames,
  hostsideNaming,
  localNameOf,
  withoutNames,
  withoutServer,
  type NamingStrategy,
} from "@hostside/naming";

const toolName = "authenticate";

/**
 * The names that the tools of `createAuthenticateTools` will have for these servers, sorted. Give
 * them to `createProvider({ reservedNames })`, so that a server's own tool of that name gets
 * another one; otherwise the tool of this package does. Throws a `TypeError` for a strategy
 * that cannot be used.
 *
 * @example
 * const reservedNames = authenticateToolNames(["tracker"]); // ["mcp_tracker_authenticate"]
 */
export function authenticateToolNames(serverIds: readonly string[], naming?: NamingStrategy): readonly string[] {
  return [...createToolNames(naming)(serverIds, () => false).values()].sort();
}

/**
 * Names one tool for each server. A server keeps its name as long as it is there. `isTaken`: a tool
 * of somebody else has this name now.
 */
export type NameTools = (
  serverIds: readonly string[],
  isTaken: (name: string) => boolean,
) => ReadonlyMap<string, string>;

/** Names tools by a strategy that shows the server; by `hostsideNaming` for any other. */
export function createToolNames(naming: NamingStrategy = hostsideNaming): NameTools {
  assertNamingStrategy(naming);
  const strategy = naming.showServer ? naming : hostsideNaming;
  let names = emptyNames;
  return (serverIds, isTaken) => {
    const taken = new Set<string>();
    for (const id of names.servers.keys()) if (!serverIds.includes(id)) names = withoutServer(names, id);
    for (;;) {
      const wanted = serverIds.map((serverId) => ({ serverId, toolName }));
      names = assignNames(wanted, { strategy, previous: names, serverIds, reservedNames: taken }).names;
      const given = new Map(serverIds.map((serverId) => [serverId, localNameOf(names, { serverId, toolName }) ?? ""]));
      const clashing = [...given.values()].filter((name) => !taken.has(foldCase(name)) && isTaken(name));
      if (clashing.length === 0) return given;
      for (const name of clashing) taken.add(foldCase(name));
      names = withoutNames(names, clashing);
    }
  };
}
