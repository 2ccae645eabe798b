import type { CallContext, Cancel, Diagnostic, Event, ToolDefinition } from "@hostside/core";

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
  /** Says what is odd and stops nobody: a model that failed. */
  report(diagnostic: Diagnostic): void;
}

/** A tool, and how well it fits a query. */
export interface ScoredName {
  readonly name: string;
  /** From 0 to 1, such as a cosine. */
  readonly score: number;
}

/**
 * Ranks tools by meaning: returns those that it is sure of, with a score that is added to that of
 * the words. A ranker that fails, is late, or names what does not exist costs nothing but its
 * opinion.
 */
export interface EmbeddingRanker {
  (request: EmbeddingRequest): Promise<readonly ScoredName[]>;
  /**
   * Called once by a toolbox, when it is made, so that a ranker can prepare itself before the first
   * search; what it returns is called when the toolbox is closed.
   */
  readonly follow?: ((source: RankedSource) => Cancel) | undefined;
}

/**
 * Fuses what the words say with what the meaning says: the score of the words, as a share of the
 * best, plus that of the meaning. Equal sums keep the order of the words.
 */
export function fuseScores(byWords: readonly ScoredName[], byMeaning: readonly ScoredName[]): readonly string[] {
  const best = byWords[0]?.score ?? 1;
  const sums = new Map(byWords.map(({ name, score }) => [name, score / best]));
  for (const { name, score } of byMeaning) sums.set(name, (sums.get(name) ?? 0) + score);
  return Array.from(sums)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}
