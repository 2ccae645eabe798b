import { foldCase, compareText } from "@hostside/core/implement";

/**
 * The identity of a tool, whatever a model calls it: the pair that a local name stands for. A
 * `ToolOrigin` of core is one.
 */
export interface ToolIdentity {
  readonly serverId: string;
  /** The remote name: what the server calls the tool, byte for byte. */
  readonly toolName: string;
}

/**
 * `mcp::<server>::<tool>`: one text for policies, allowlists and logs, whatever the naming
 * strategy. Never for routing.
 *
 * In the server id, `%` and `:` are percent-encoded, so that two tools never share a qualified
 * name: server `a::b` with tool `c` is `mcp::a%3A%3Ab::c`, server `a` with tool `b::c` is
 * `mcp::a::b::c`.
 *
 * @example
 * qualifiedName({ serverId: "files", toolName: "read_file" }); // "mcp::files::read_file"
 */
export function qualifiedName({ serverId, toolName }: ToolIdentity): string {
  return `mcp::${serverId.replaceAll("%", "%25").replaceAll(":", "%3A")}::${toolName}`;
}

/** Orders pairs by server id, then by remote name. */
export function byIdentity(a: ToolIdentity, b: ToolIdentity): number {
  return compareText(a.serverId, b.serverId) || compareText(a.toolName, b.toolName);
}

/**
 * Takes a name of the shape `mcp__<server>__<tool>` apart; `null` for any other text.
 *
 * For hosts that did so before, and for displays. Never route a call by it: a server whose name
 * contains `__` loses all after it, names that were cut or hashed do not tell their tool, and any
 * server can offer a tool whose name looks like another's. Look the name up with
 * {@linkcode identityOf} instead.
 */
export function parseToolName(name: string): { readonly server: string; readonly tool: string } | null {
  const [prefix, server, ...tool] = name.split("__");
  if (prefix !== "mcp" || !server || tool.length === 0) return null;
  return { server, tool: tool.join("__") };
}

/**
 * Which pair has which name. Immutable; made by {@linkcode assignNames} and {@linkcode loadNames}.
 * It holds every name that was given, also to tools that are gone at the moment, so that they get
 * it back. No two names differ in ASCII case only, because names are looked up regardless of it.
 */
export interface NameTable {
  /** Server id to remote name to local name. */
  readonly servers: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** No names. */
export const emptyNames: NameTable = { servers: new Map() };

/**
 * The local name of a pair, if one was given.
 *
 * @example
 * localNameOf(names, { serverId: "files", toolName: "read_file" }); // "mcp_files_read_file"
 */
export function localNameOf(names: NameTable, { serverId, toolName }: ToolIdentity): string | undefined {
  return names.servers.get(serverId)?.get(toolName);
}

/**
 * The pair that has a local name, with the remote name byte for byte. Ignores ASCII case. The first
 * question to a table costs a walk through all of its names, and memory for an index of them as
 * long as the table lives.
 *
 * @example
 * identityOf(names, "mcp_files_read_file"); // { serverId: "files", toolName: "read_file" }
 */
export function identityOf(names: NameTable, localName: string): ToolIdentity | undefined {
  let index = indexes.get(names);
  if (index === undefined) {
    index = indexNames(names);
    indexes.set(names, index);
  }
  return index.get(foldCase(localName));
}

// Of tables that somebody asked. Most are only extended, and an index weighs more than the table.
const indexes = new WeakMap<NameTable, ReadonlyMap<string, ToolIdentity>>();

/** Local names, with A to Z lower-cased, to the pairs that have them; a new index. */
export function indexNames({ servers }: NameTable): Map<string, ToolIdentity> {
  const index = new Map<string, ToolIdentity>();
  for (const [serverId, tools] of servers) {
    for (const [toolName, localName] of tools) index.set(foldCase(localName), { serverId, toolName });
  }
  return index;
}

/**
 * The table without the names of one server, which are free again. For a registration that ended.
 */
export function withoutServer(names: NameTable, serverId: string): NameTable {
  return withOnlyTools(names, serverId, new Set());
}

/**
 * The table without these names, given with A to Z in either case: their tools have none any more,
 * and get others.
 */
export function withoutNames(names: NameTable, localNames: Iterable<string>): NameTable {
  const gone = new Set(Array.from(localNames, foldCase));
  let left = names;
  for (const [serverId, tools] of names.servers) {
    const kept = Array.from(tools).filter(([, localName]) => !gone.has(foldCase(localName)));
    if (kept.length < tools.size) left = withOnlyTools(left, serverId, new Set(kept.map(([toolName]) => toolName)));
  }
  return left;
}

/** The table without the names of a server's tools other than the given ones. */
export function withOnlyTools(names: NameTable, serverId: string, toolNames: ReadonlySet<string>): NameTable {
  const before = names.servers.get(serverId);
  if (before === undefined) return names;
  const kept = new Map<string, string>();
  for (const [toolName, localName] of before) if (toolNames.has(toolName)) kept.set(toolName, localName);
  const servers = new Map(names.servers);
  if (kept.size > 0) servers.set(serverId, kept);
  else servers.delete(serverId);
  return { servers };
}

/**
 * A table in the making: it has all names of another one, which never changes, and more. Shares
 * with it what stays the same.
 */
export class NameDraft {
  readonly #servers: Map<string, ReadonlyMap<string, string>>;
  readonly #copied = new Map<string, Map<string, string>>();

  constructor(names: NameTable) {
    this.#servers = new Map(names.servers);
  }

  nameOf({ serverId, toolName }: ToolIdentity): string | undefined {
    return this.#servers.get(serverId)?.get(toolName);
  }

  /**
   * Takes down a pair that is to get a name before the table is finished. Returns `false` for one
   * that has a name, or was taken down.
   */
  expect(identity: ToolIdentity): boolean {
    if (this.#servers.get(identity.serverId)?.has(identity.toolName) === true) return false;
    // Its place is there, and the table needs no other one to know that.
    this.give(identity, "");
    return true;
  }

  /**
   * Gives a name to a pair that has none. The caller made sure of that, and that the name is free.
   */
  give({ serverId, toolName }: ToolIdentity, localName: string): void {
    let tools = this.#copied.get(serverId);
    if (tools === undefined) {
      tools = new Map(this.#servers.get(serverId));
      this.#copied.set(serverId, tools);
      this.#servers.set(serverId, tools);
    }
    tools.set(toolName, localName);
  }

  /** Returns the table. The draft is not to be used afterwards. */
  finish(): NameTable {
    return { servers: this.#servers };
  }
}
