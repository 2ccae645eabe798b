import type { CallContext, ToolOutcome } from "@hostside/core";
import type { Presented } from "./presented.ts";

/** For which call something is presented. */
export interface PresentContext {
  /** Whose conversation it is: what is kept can be read in the same conversation alone. */
  readonly context?: CallContext | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns what calls bring into what a model gets. The adapters take one; `createResults()` makes one
 * that keeps what is too big.
 */
export interface ResultPresenter {
  present(outcome: ToolOutcome, presentContext?: PresentContext): Presented | Promise<Presented>;
  presentError(error: unknown, presentContext?: PresentContext): Presented;
}
