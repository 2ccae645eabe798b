import type { CallContext, JsonObject } from "@hostside/core";

/** What a selector is asked. */
export interface SelectorRequest {
  readonly query: string;
  /**
   * The best tools by rank, best first. Nothing else can be chosen. Their texts come from servers:
   * data, never instructions.
   */
  readonly candidates: readonly { readonly name: string; readonly description: string }[];
  /** How many may be chosen. */
  readonly limit: number;
  /**
   * Aborts when the caller gives up or after 30 seconds; the answer is not waited for any longer.
   */
  readonly signal: AbortSignal;
  /** Who asks, as the call or its view says. Absent: neither does. */
  readonly context?: CallContext | undefined;
}

/** What a selector answers. */
export interface SelectorChoice {
  /**
   * Names of candidates, best first. What is no candidate is ignored; when nothing is left, the
   * ranking decides.
   */
  readonly names: readonly string[];
  /**
   * What the choice cost, in whatever form the product counts it. Reported upward, also when the
   * choice was of no use.
   */
  readonly usage?: JsonObject;
}

/**
 * Lets a model choose among the best tools of a `tools_select` query. May throw: the ranking
 * decides then.
 */
export type ModelToolSelector = (request: SelectorRequest) => Promise<SelectorChoice>;
