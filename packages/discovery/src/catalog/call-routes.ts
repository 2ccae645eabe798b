import {
  defaultTimeouts,
  isHostsideError,
  type ToolOutcome,
  type HostsideError,
  type HostsideErrorCode,
} from "@hostside/core";
import { createDeadline } from "@hostside/core/implement";
import type { ToolboxTool, RoutedTool } from "./catalog-snapshot.ts";
import { timeoutMsOf, type RouteCall } from "./run-route.ts";

/** One call, ready to go. */
export interface RoutedCall extends RouteCall {
  /** Sends a call one way: through the interceptors, if there are any. */
  readonly send: (tool: RoutedTool, call: RouteCall) => Promise<ToolOutcome>;
  /**
   * Whether a fallback is still what it was when the call began: the first may have taken a while.
   */
  readonly isOnOffer: (fallback: RoutedTool) => boolean;
  /** Called before a fallback is tried. */
  readonly onFallback: (error: HostsideError) => void;
}

/**
 * Calls a tool, and its fallback if it has one, the first was out of service, and a second call can
 * do no harm. The time of the first is for both together, whoever set it: when nothing is left of
 * it, the first error is the last word.
 */
export async function callRoutes(tool: ToolboxTool, call: RoutedCall): Promise<ToolOutcome> {
  const { fallback } = tool;
  if (fallback === undefined) return call.send(tool, call);
  const { options, clock } = call;
  const time = createDeadline({
    timeoutMs: options.timeoutMs ?? timeoutMsOf(tool.route),
    outer: options.deadline,
    mostPausedMs: defaultTimeouts.elicitTotalMs,
    clock,
    onTimeout: () => undefined,
  });
  try {
    return await call.send(tool, { ...call, options: { ...options, deadline: time } });
  } catch (error) {
    if (!isHostsideError(error) || !allowsFallback(error, tool)) throw error;
    const leftMs = time.remainingMs();
    if (leftMs <= 0 || !call.isOnOffer(fallback)) throw error;
    call.onFallback(error);
    // What the caller selected was the first route's definition.
    const { selected: _selected, timeoutMs, ...rest } = options;
    const left = { ...rest, deadline: time, ...(timeoutMs !== undefined && { timeoutMs: leftMs }) };
    return await call.send(fallback, { ...call, options: left });
  } finally {
    time.dispose();
  }
}

// Limits that cut in because nobody answered in time or had room. All others are somebody's will,
// and so is `overloaded` when a limit of the host says it.
const outagesByPolicy: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "call_timeout",
  "circuit_open",
  "connect_timeout",
  "list_timeout",
  "overloaded",
  "request_timeout",
]);

/**
 * An outage, and either the call provably never left, or the product itself says of its tool that
 * running it again changes nothing. Wrong arguments, missing credentials, the caller's own abort
 * and a call that was refused are no outage: whom a rule or a person keeps from one tool must not
 * be led to another that does the same.
 */
function allowsFallback(error: HostsideError, { definition }: ToolboxTool): boolean {
  if (error.code === "overloaded" && error.details.policy !== undefined) return false;
  const isOutage = error.kind === "execution" || error.kind === "system" || outagesByPolicy.has(error.code);
  if (!isOutage) return false;
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return error.outcome === "not-sent" || readOnlyHint === true || idempotentHint === true;
}
