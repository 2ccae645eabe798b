import type { Search } from "./rankers.ts";
import type { LabelledQuery } from "./read-queries.ts";
import type { ToolSetServer } from "./tool-set.ts";

/** How well a ranking finds what was wanted. */
export interface Quality {
  readonly queries: number;
  /** Share of queries with an answer among the first 1, 3 and 5. */
  readonly recall1: number;
  readonly recall3: number;
  readonly recall5: number;
  /** Mean of 1 / rank of the first answer, 0 when none is among the first 10. */
  readonly mrr: number;
}

/** Local names by `server/tool`, the way queries name their answers. */
export function localNames(servers: readonly ToolSetServer[]): ReadonlyMap<string, string> {
  return new Map(
    servers.flatMap(({ tools }) =>
      tools.map(({ name, origin }) => [`${origin?.serverId ?? ""}/${origin?.toolName ?? ""}`, name] as const),
    ),
  );
}

/** Asks every query once. */
export function measureQuality(
  search: Search,
  queries: readonly Pick<LabelledQuery, "query" | "answers">[],
  names: ReadonlyMap<string, string>,
): Quality {
  const ranks = queries.map(({ query, answers }) => {
    const wanted = new Set(answers.map((answer) => names.get(answer)));
    const at = search(query, 10).findIndex((name) => wanted.has(name));
    return at === -1 ? Number.POSITIVE_INFINITY : at + 1;
  });
  const within = (limit: number): number => ranks.filter((rank) => rank <= limit).length / ranks.length;
  return {
    queries: ranks.length,
    recall1: within(1),
    recall3: within(3),
    recall5: within(5),
    mrr: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length,
  };
}
