import type { CallContext } from "@hostside/core";
import { assertCallContext, assertKnownOptions, assertTimeoutMs, type Fields } from "@hostside/core/implement";
import type { ResultPresenter } from "@hostside/results";
import type { LeftOutTool } from "./declared-tool.ts";
import { isPresenter } from "./is-presenter.ts";

/** What every adapter can be given. */
export interface AdapterOptions {
  /**
   * What makes of a result what the model gets. Default: the presenter of the source, else pure and
   * bounded: what is too big is cut, and a notice says so.
   */
  readonly presenter?: ResultPresenter | undefined;
  /**
   * On whose behalf the model calls, in every call of this adapter. A call's own context goes
   * first, member by member. Default: nobody's.
   */
  readonly context?: Omit<CallContext, "approval"> | undefined;
  /** Total time of each call, in milliseconds. Default: that of the tool's server. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether the API may enforce schemas: `"never"` (default), because strict mode is slower at
   * first, counts tools and takes few schemas; `"where-possible"`, for each tool whose arguments
   * can still be said whole: not one that takes names that nobody declared, or for which a `null`
   * and nothing are two things.
   */
  readonly strict?: "never" | "where-possible" | undefined;
  /**
   * Most tools of one request, the product's own that the adapter knows of included; those behind
   * are left out. Default: what the API is known to take. `Infinity` sends them all.
   */
  readonly maxTools?: number | undefined;
  /**
   * Called once for each tool that is not declared, with the reason. Must not throw. Default:
   * {@linkcode Declaration.leftOut} alone says it.
   */
  readonly onLeftOut?: ((tool: LeftOutTool) => void) | undefined;
}

/** The fields of {@linkcode AdapterOptions}, for adapters whose options have more. */
export const adapterFields: Fields<AdapterOptions> = {
  presenter: true,
  context: true,
  timeoutMs: true,
  strict: true,
  maxTools: true,
  onLeftOut: true,
};

/**
 * Refuses options of an adapter that nothing reads, or that are of a wrong type; `fields` are the
 * known ones, `owner` says whose they are: `"createChatTools()"`. Throws a `TypeError` that names
 * the option.
 */
export function assertAdapterOptions(
  owner: string,
  options: AdapterOptions,
  fields: Readonly<Record<string, true>>,
): void {
  assertKnownOptions(owner, options, fields);
  const { presenter, context, timeoutMs, strict, maxTools, onLeftOut } = options;
  if (presenter !== undefined && !isPresenter(presenter)) {
    throw new TypeError("presenter must have present() and presentError()");
  }
  if (context !== undefined) {
    assertCallContext(context);
    if (context.approval !== undefined) throw new TypeError("context.approval is for one call; give it with the call");
  }
  if (timeoutMs !== undefined) assertTimeoutMs(timeoutMs);
  if (strict !== undefined && strict !== "never" && strict !== "where-possible") {
    throw new TypeError('strict must be "never" or "where-possible"');
  }
  if (maxTools !== undefined && !(typeof maxTools === "number" && maxTools >= 1)) {
    throw new TypeError("maxTools must be a number of at least 1");
  }
  if (onLeftOut !== undefined && typeof onLeftOut !== "function") throw new TypeError("onLeftOut must be a function");
}
