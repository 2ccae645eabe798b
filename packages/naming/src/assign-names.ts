import { emptyNames, extendNames, localNameOf, type NameTable } from "./name-table.ts";
import { createNamer, type NameSeeker } from "./name-seeker.ts";
import { toolportNaming } from "./naming-presets.ts";
import { assertNamingStrategy, type NamingStrategy } from "./naming-strategy.ts";
import { toAsciiLowerCase } from "./sanitize-part.ts";
import type { ToolIdentity } from "./tool-identity.ts";

/** Options of {@linkcode assignNames}. */
export interface AssignNamesOptions {
  /** Default {@linkcode toolportNaming}. */
  readonly strategy?: NamingStrategy | undefined;
  /** Names given before. They stay with the pairs that have them and are given to nobody else. Default: none. */
  readonly previous?: NameTable | undefined;
}

/** A name that several tools would have had. None of those that are new got it. */
export interface NameCollision {
  readonly name: string;
  /** The tools that wanted the name, and the one that has it already, if any; sorted by server id, then remote name. */
  readonly members: readonly ToolIdentity[];
}

/** What {@linkcode assignNames} decided. */
export interface NameAssignment {
  /** The names of `previous` and of every given tool. `previous` itself when nothing was added. */
  readonly names: NameTable;
  /** Collisions met on the way, sorted by name. Empty when nothing was added. */
  readonly collisions: readonly NameCollision[];
}

/**
 * Gives every tool a name that is legal, at most `strategy.maxLength` long and its own. Depends on the set of tools and on
 * `previous` alone, never on their order; a pair given twice counts once.
 *
 * A tool that has a name keeps it. The others get their plain name, `prefix_server_tool`, unless it is too long, not legal, taken,
 * or wanted by another of them: then all of these get a hash of their identity at the end (AN-33, AN-36).
 *
 * Throws `TypeError` when the strategy breaks a rule of its own.
 */
export function assignNames(tools: Iterable<ToolIdentity>, options: AssignNamesOptions = {}): NameAssignment {
  const { strategy = toolportNaming, previous = emptyNames } = options;
  assertNamingStrategy(strategy);
  const unnamed = withoutName(tools, previous);
  if (unnamed.length === 0) return { names: previous, collisions: [] };

  const draft = extendNames(previous);
  const collisions: NameCollision[] = [];
  let waiting = unnamed.map(createNamer(strategy));
  // In each round every tool wants one name. Who is alone in wanting a free name gets it; the others want another one.
  for (let round = 0; waiting.length > 0; round += 1) {
    const rivals: NameSeeker[] = [];
    for (const [key, seekers] of groupByWish(waiting, round)) {
      const [first] = seekers;
      const owner = draft.ownerOf(key);
      if (seekers.length === 1 && owner === undefined) {
        draft.give(first.identity, first.nameAt(round));
        continue;
      }
      rivals.push(...seekers);
      const members = seekers.map((seeker) => seeker.identity);
      collisions.push({ name: first.nameAt(round), members: (owner ? [owner, ...members] : members).sort(byIdentity) });
    }
    waiting = rivals;
  }
  return { names: draft.finish(), collisions: collisions.sort((a, b) => compare(a.name, b.name)) };
}

function withoutName(tools: Iterable<ToolIdentity>, names: NameTable): readonly ToolIdentity[] {
  const seen = new Map<string, Set<string>>();
  const unnamed: ToolIdentity[] = [];
  for (const tool of tools) {
    if (localNameOf(names, tool) !== undefined) continue;
    const toolNames = seen.get(tool.serverId) ?? new Set();
    if (toolNames.has(tool.toolName)) continue;
    seen.set(tool.serverId, toolNames.add(tool.toolName));
    unnamed.push(tool);
  }
  return unnamed;
}

function groupByWish(waiting: readonly NameSeeker[], round: number): Map<string, [NameSeeker, ...NameSeeker[]]> {
  const groups = new Map<string, [NameSeeker, ...NameSeeker[]]>();
  for (const seeker of waiting) {
    const key = toAsciiLowerCase(seeker.nameAt(round));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [seeker]);
    else group.push(seeker);
  }
  return groups;
}

function byIdentity(a: ToolIdentity, b: ToolIdentity): number {
  return compare(a.serverId, b.serverId) || compare(a.toolName, b.toolName);
}

// By UTF-16 units: the same everywhere, unlike a locale's order.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
