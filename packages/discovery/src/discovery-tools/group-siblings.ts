import type { ToolGroup } from "@hostside/core";

/**
 * Which tools of a group an answer names beside those that it describes: these, the first ones
 * first, and then others up to so many; or all others, unless there are more than so many.
 */
export type OtherTools = { readonly ranked: readonly string[]; readonly upTo?: number } | { readonly atMost: number };

/** A group of an answer. */
export interface GroupWithSiblings {
  readonly group: ToolGroup;
  /**
   * Names of tools of the group that the answer does not describe, in the order in which to name
   * them.
   */
  readonly siblings: readonly string[];
  /** Whether a tool that was found is of this group, and not only one of the others. */
  readonly hasFound: boolean;
}

/** What an answer holds, by names. */
export interface AnsweredNames {
  /** In the order of the answer, described or not. */
  readonly found: readonly string[];
  readonly described: ReadonlySet<string>;
  readonly others: OtherTools;
}

/**
 * The groups of the tools that were found, then those of other tools only, each kind by its best
 * tool.
 */
export function groupsWithSiblings(
  groups: readonly ToolGroup[],
  { found, described, others }: AnsweredNames,
): readonly GroupWithSiblings[] {
  const ranked = "ranked" in others ? others.ranked : [];
  const ranks = new Map(Array.from(new Set([...found, ...ranked]), (name, rank) => [name, rank]));
  const rankOf = (name: string): number => ranks.get(name) ?? 0;
  const siblingsOf = (named: readonly string[], { members }: ToolGroup, hasFound: boolean): readonly string[] => {
    if ("ranked" in others) {
      const wanted = new Set(ranked);
      const next = named
        .filter((name) => wanted.has(name) && !described.has(name))
        .sort((a, b) => rankOf(a) - rankOf(b));
      const isRest = (name: string): boolean => !wanted.has(name) && !described.has(name);
      // A group of which only a runner-up is known is named for that one alone.
      const rest = hasFound ? members.filter(isRest).slice(0, Math.max(0, (others.upTo ?? 0) - next.length)) : [];
      return [...next, ...rest];
    }
    const rest = members.filter((member) => !described.has(member));
    return rest.length <= others.atMost ? rest : [];
  };
  return groups
    .map((group) => ({ group, named: group.members.filter((member) => ranks.has(member)) }))
    .filter(({ named }) => named.length > 0)
    .map(({ group, named }) => ({
      group,
      named,
      best: named.reduce((best, name) => Math.min(best, rankOf(name)), ranks.size),
    }))
    .sort((a, b) => a.best - b.best)
    .map(({ group, named, best }) => ({
      group,
      siblings: siblingsOf(named, group, best < found.length),
      hasFound: best < found.length,
    }));
}
