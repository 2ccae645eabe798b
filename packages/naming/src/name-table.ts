import { foldCase } from "@toolport/core/implement";
import type { ToolIdentity } from "./tool-identity.ts";

/**
 * Which pair has which name. Immutable; made by {@linkcode assignNames} and {@linkcode loadNames}. It holds every name that was
 * given, also to tools that are gone at the moment, so that they get it back.
 */
export interface NameTable {
  /** Server id to remote name to local name. */
  readonly servers: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /**
   * Local name, with A to Z lower-cased, to the pair that has it. Two names never differ in ASCII case only, because names are
   * looked up regardless of it.
   */
  readonly identities: ReadonlyMap<string, ToolIdentity>;
}

/** No names. */
export const emptyNames: NameTable = { servers: new Map(), identities: new Map() };

/** The local name of a pair, if one was given. */
export function localNameOf(names: NameTable, { serverId, toolName }: ToolIdentity): string | undefined {
  return names.servers.get(serverId)?.get(toolName);
}

/** The pair that has a local name, with the remote name byte for byte. Ignores ASCII case. */
export function identityOf(names: NameTable, localName: string): ToolIdentity | undefined {
  return names.identities.get(foldCase(localName));
}

/** The table without the names of one server, which are free again. For a registration that ended. */
export function withoutServer(names: NameTable, serverId: string): NameTable {
  return withOnlyTools(names, serverId, new Set());
}

/** The table without these names, given with A to Z in either case: their tools have none any more, and get others. */
export function withoutNames(names: NameTable, localNames: Iterable<string>): NameTable {
  let left = names;
  for (const localName of localNames) {
    const identity = identityOf(left, localName);
    if (identity === undefined) continue;
    const { serverId, toolName } = identity;
    const kept = new Set(left.servers.get(serverId)?.keys());
    kept.delete(toolName);
    left = withOnlyTools(left, serverId, kept);
  }
  return left;
}

/** The table without the names of a server's tools other than the given ones. */
export function withOnlyTools(names: NameTable, serverId: string, toolNames: ReadonlySet<string>): NameTable {
  const before = names.servers.get(serverId);
  if (before === undefined) return names;
  const kept = new Map<string, string>();
  const identities = new Map(names.identities);
  for (const [toolName, localName] of before) {
    if (toolNames.has(toolName)) kept.set(toolName, localName);
    else identities.delete(foldCase(localName));
  }
  const servers = new Map(names.servers);
  if (kept.size > 0) servers.set(serverId, kept);
  else servers.delete(serverId);
  return { servers, identities };
}

/** A table in the making. Shares with the table it extends what it does not change. */
export interface NameDraft {
  nameOf(identity: ToolIdentity): string | undefined;
  /** Who has a name, given with A to Z lower-cased. */
  ownerOf(foldedName: string): ToolIdentity | undefined;
  /** Gives a free name to a pair that has none. The caller made sure of both. */
  give(identity: ToolIdentity, localName: string): void;
  /** The table. The draft is not to be used afterwards. */
  finish(): NameTable;
}

/** Starts a table that has all names of `names` and more. `names` itself never changes. */
export function extendNames(names: NameTable): NameDraft {
  const servers = new Map(names.servers);
  const identities = new Map(names.identities);
  const copied = new Map<string, Map<string, string>>();
  return {
    nameOf: ({ serverId, toolName }) => servers.get(serverId)?.get(toolName),
    ownerOf: (foldedName) => identities.get(foldedName),
    give({ serverId, toolName }, localName) {
      let tools = copied.get(serverId);
      if (tools === undefined) {
        tools = new Map(servers.get(serverId));
        copied.set(serverId, tools);
        servers.set(serverId, tools);
      }
      tools.set(toolName, localName);
      identities.set(foldCase(localName), { serverId, toolName });
    },
    finish: () => ({ servers, identities }),
  };
}
