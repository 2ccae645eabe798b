import type { CallOptions, FrameworkApproval, ToolDefinition, ToolOutcome } from "@hostside/core";
import type { ResultPresenter } from "@hostside/results";
import { isPresenter } from "./is-presenter.ts";

/**
 * Where an adapter has its tools from: a view of a toolbox, which is what a conversation should
 * have, a toolbox, or a provider. What `tools()` returns is declared with the next request, in that
 * order.
 */
export interface ToolSource {
  tools(): readonly ToolDefinition[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /**
   * What makes of its results what a model gets, where the options of an adapter name nobody else.
   */
  readonly presenter?: ResultPresenter | undefined;
  /**
   * Lets the framework ask before calls: a conversation's, or `policy.frameworkApproval()`.
   * Default: it asks before calls of tools whose definition says `requireApproval`.
   */
  readonly approval?: FrameworkApproval | undefined;
}

/** A source whose calls go another way. */
export function callingBy(source: ToolSource, call: ToolSource["call"]): ToolSource {
  const { presenter, approval } = source;
  return { tools: () => source.tools(), call, presenter, approval };
}

/**
 * Throws a `TypeError` for what is no source, such as a promise of one, or one with a presenter
 * that is none.
 */
export function assertToolSource(source: ToolSource | null | undefined): void {
  if (typeof source?.tools !== "function" || typeof source.call !== "function") {
    throw new TypeError("source must be a view, a toolbox or a provider: it needs tools() and call()");
  }
  if (source.presenter !== undefined && !isPresenter(source.presenter)) {
    throw new TypeError("the presenter of source must have present() and presentError()");
  }
  const { approval } = source;
  if (approval === undefined) return;
  for (const name of ["requires", "note", "answer"] as const) {
    if (typeof approval?.[name] === "function") continue;
    throw new TypeError("the approval of source must have requires(), note() and answer()");
  }
}
