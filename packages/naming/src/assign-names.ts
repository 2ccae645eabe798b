import { assertKnownOptions, compareText, foldCase, type Fields } from "@hostside/core/implement";
import { candidatesOf, tryNextHash, type NameCandidate, createReservedNames } from "./candidate-names.ts";
import {
  emptyNames,
  NameDraft,
  indexNames,
  withOnlyTools,
  type NameTable,
  byIdentity,
  type ToolIdentity,
} from "./name-table.ts";
import { hostsideNaming, assertNamingStrategy, type NamingStrategy } from "./naming-strategy.ts";

/** Options of {@linkcode assignNames}. */
export interface AssignNamesOptions {
  /** Default {@linkcode hostsideNaming}. */
  readonly strategy?: NamingStrategy | undefined;
  /**
   * Names given before, with this strategy or loaded for it. They stay as they are, with the pairs
   * that have them, and are given to nobody else. Default: none.
   */
  readonly previous?: NameTable | undefined;
  /**
   * The ids of all servers that there are, listed or not, so that it does not matter which of them
   * is listed first. A plain name that starts like all those of another server is left to that one:
   * with servers `github` and `github_prod`, the tool `prod_list` of `github` gets a hash. If ids
   * are so alike, a plain name that ends like a hash gets one, too. Default: none is known.
   */
  readonly serverIds?: Iterable<string> | undefined;
  /**
   * Names that are somebody else's, whom nobody lists here, such as those of the product's own
   * tools; with A to Z in either case. A tool whose plain name is one of them gets a hash. Names of
   * `previous` stay. Default: none.
   */
  readonly reservedNames?: Iterable<string> | undefined;
  /**
   * How many names of one server are kept, tools that are gone included. A server that passes it,
   * because it keeps inventing names, loses the names of all tools that it does not offer now.
   * Default 20,000.
   */
  readonly maxNamesPerServer?: number | undefined;
}

/** A name that more than one tool wanted, or that is another server's. */
export interface NameCollision {
  /** With A to Z lower-cased, because names that differ in ASCII case only collide, too. */
  readonly name: string;
  /**
   * All who wanted it, and who had it already, if anybody. Sorted by server id, then remote name.
   */
  readonly members: readonly ToolIdentity[];
  /**
   * The server to which all names that start so belong, whether it has such a tool or not; then it
   * is no member.
   */
  readonly reservedFor?: string;
  /** The name is one of the `reservedNames`; whoever has it is no member. */
  readonly reserved?: true;
}

/** The decisions of {@linkcode assignNames}. */
export interface NameAssignment {
  /** The names of `previous` and of every given tool. `previous` itself when no tool is new. */
  readonly names: NameTable;
  /** The collisions that new tools met with, sorted by name. */
  readonly collisions: readonly NameCollision[];
}

/**
 * Gives every tool a name that is legal, not longer than `strategy.maxLength`, and its own. Depends
 * on the set of tools, on `serverIds`, `reservedNames` and `previous` alone, never on their order;
 * a pair given twice counts once. With all `serverIds` and a strategy that shows the server, the
 * tools of one server can be named before those of another are known, and get the same names.
 *
 * A tool that has a name keeps it. A new one gets its plain name, such as `mcp_<server>_<tool>`,
 * unless that is too long, not legal, somebody's already, reserved, another server's by its id, or
 * wanted by another new tool: then all new tools that want it get a hash of their identity at the
 * end, and another hash should even that be somebody's. So a name never passes from one tool to
 * another.
 *
 * Throws `TypeError` when the strategy breaks a rule of its own, or an option is unknown.
 *
 * @example
 * const { names } = assignNames([{ serverId: "files", toolName: "read_file" }]);
 * localNameOf(names, { serverId: "files", toolName: "read_file" }); // "mcp_files_read_file"
 */
export function assignNames(tools: Iterable<ToolIdentity>, options: AssignNamesOptions = {}): NameAssignment {
  assertKnownOptions("assignNames()", options, optionFields);
  const { strategy = hostsideNaming, previous = emptyNames, serverIds = [], maxNamesPerServer = 20_000 } = options;
  assertNamingStrategy(strategy);
  const reserved = new Set(Array.from(options.reservedNames ?? [], foldCase));
  const offered = Array.from(tools);
  const draft = new NameDraft(previous);
  const unnamed = offered.filter((tool) => draft.expect(tool));
  if (unnamed.length === 0) return { names: previous, collisions: [] };

  const owners = indexNames(previous);
  /** Names that were given in an earlier round, A to Z lower-cased. */
  const given = new Map<string, NameCandidate>();
  let waiting = unnamed.map(candidatesOf(strategy, createReservedNames(strategy, serverIds)));
  const collisions: NameCollision[] = reservedCollisions(waiting);
  // In each round every tool wants one name. Who is alone in wanting a free name gets it; the
  // others want another one. This ends, also when a server lists names that it computed: no two
  // tools have the same hash key, and each listed name blocks one attempt.
  while (waiting.length > 0) {
    const { first, others } = groupByName(waiting);
    const rivals: NameCandidate[] = [];
    for (const [name, candidate] of first) {
      const owner = owners.get(name) ?? given.get(name)?.identity;
      const more = others.get(name);
      const isReserved = reserved.has(name);
      if (owner === undefined && more === undefined && !isReserved) {
        draft.give(candidate.identity, candidate.name);
        continue;
      }
      first.delete(name);
      const wanting = [candidate, ...(more ?? [])];
      rivals.push(...wanting);
      const members = wanting.map(({ identity }) => identity);
      collisions.push({
        name,
        members: (owner ? [owner, ...members] : members).sort(byIdentity),
        ...(isReserved && owner === undefined && { reserved: true }),
      });
    }
    if (rivals.length > 0) for (const [name, candidate] of first) given.set(name, candidate);
    for (const rival of rivals) tryNextHash(rival, strategy);
    waiting = rivals;
  }
  return {
    names: boundServers(draft.finish(), offered, maxNamesPerServer),
    collisions: collisions.sort((a, b) => compareText(a.name, b.name)),
  };
}

const optionFields: Fields<AssignNamesOptions> = {
  strategy: true,
  previous: true,
  serverIds: true,
  reservedNames: true,
  maxNamesPerServer: true,
};

function reservedCollisions(candidates: readonly NameCandidate[]): NameCollision[] {
  const collisions = new Map<string, NameCollision & { readonly members: ToolIdentity[] }>();
  for (const { identity, plain, owner } of candidates) {
    if (owner === undefined) continue;
    const name = foldCase(plain);
    const known = collisions.get(name);
    if (known === undefined) collisions.set(name, { name, members: [identity], reservedFor: owner });
    else known.members.push(identity);
  }
  for (const { members } of collisions.values()) members.sort(byIdentity);
  return Array.from(collisions.values());
}

/**
 * The candidates by the name that they want, A to Z lower-cased. Most want one of their own, so
 * lists are made for the others alone.
 */
interface NameGroups {
  readonly first: Map<string, NameCandidate>;
  readonly others: ReadonlyMap<string, readonly NameCandidate[]>;
}

function groupByName(waiting: readonly NameCandidate[]): NameGroups {
  const first = new Map<string, NameCandidate>();
  const others = new Map<string, NameCandidate[]>();
  for (const candidate of waiting) {
    const name = foldCase(candidate.name);
    if (!first.has(name)) {
      first.set(name, candidate);
      continue;
    }
    const rivals = others.get(name);
    if (rivals === undefined) others.set(name, [candidate]);
    else rivals.push(candidate);
  }
  return { first, others };
}

function boundServers(names: NameTable, offered: readonly ToolIdentity[], maxNames: number): NameTable {
  let bounded = names;
  const large = new Set<string>();
  for (const { serverId } of offered) if ((names.servers.get(serverId)?.size ?? 0) > maxNames) large.add(serverId);
  for (const serverId of large) {
    const kept = offered.filter((tool) => tool.serverId === serverId).map((tool) => tool.toolName);
    bounded = withOnlyTools(bounded, serverId, new Set(kept));
  }
  return bounded;
}
