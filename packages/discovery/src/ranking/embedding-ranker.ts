import type { CallContext, Cancel, Event, ToolDefinition } from "@hostside/core";

/** What a ranker is asked. */
export interface EmbeddingRequest {
  readonly query: string;
  /**
   * Every tool that may be found. A definition that did not change is the same object as before, so
   * that its embedding can be kept in a `WeakMap`.
   */
  readonly definitions: readonly ToolDefinition[];
  /** How many names are of use. */
  readonly limit: number;
  /**
   * Aborts when the caller gives up or after 2 seconds; the answer is not waited for any longer.
   */
  readonly signal: AbortSignal;
  /** Who asks, as the call or its view says. Absent: neither does. */
  readonly context?: CallContext | undefined;
}

/** What has tools to be ranked, such as a toolbox. */
export interface RankedSource {
  /** Every tool that is on offer now. */
  tools(): readonly ToolDefinition[];
  /** Fires after that changed. */
  readonly onToolsChanged: Event<unknown>;
}

/**
 * Ranks tools by meaning: returns names, best first. A ranker that fails, is late, or names what
 * does not exist costs nothing but its opinion.
 */
export interface EmbeddingRanker {
  (request: EmbeddingRequest): Promise<readonly string[]>;
  /**
   * Called once by a toolbox, when it is made, so that a ranker can prepare itself before the first
   * search; what it returns is called when the toolbox is closed.
   */
  readonly follow?: ((source: RankedSource) => Cancel) | undefined;
}

// The constant of the paper that introduced reciprocal rank fusion (Cormack, Clarke and Büttcher,
// SIGIR 2009).
const damping = 60;

/**
 * Fuses rankings by rank: each name scores `1 / (60 + rank)` per ranking. Equal sums keep the order
 * of the first ranking.
 */
export function fuseRanks(rankings: readonly (readonly string[])[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const ranking of rankings) {
    for (const [index, name] of Array.from(new Set(ranking)).entries()) {
      sums.set(name, (sums.get(name) ?? 0) + 1 / (damping + index + 1));
    }
  }
  return Array.from(sums)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}
