import type { CallOptions, ToolDefinition, ToolOutcome } from "@hostside/core";
import type { ResultPresenter } from "@hostside/results";
import { isPresenter } from "./is-presenter.ts";

/**
 * Where an adapter has its tools from: a view of a toolbox, which is what a conversation should have, a toolbox, or a provider. What
 * `tools()` returns is declared with the next request, in that order.
 */
export interface ToolSource {
  tools(): readonly ToolDefinition[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /** What makes of its results what a model gets, where the options of an adapter name nobody else. */
  readonly presenter?: ResultPresenter | undefined;
}

/** Throws a `TypeError` for what is no source, such as a promise of one, or one with a presenter that is none. */
export function assertToolSource(source: ToolSource | null | undefined): void {
  if (typeof source?.tools !== "function" || typeof source.call !== "function") {
    throw new TypeError("source must be a view, a toolbox or a provider: it needs tools() and call()");
  }
  if (source.presenter !== undefined && !isPresenter(source.presenter)) {
    throw new TypeError("the presenter of source must have present() and presentError()");
  }
}
