import { isToolportError, type ToolOutcome, type ToolportError, type ToolportErrorCode } from "@toolport/core";
import type { CatalogTool, RoutedTool } from "./catalog-snapshot.ts";
import type { RouteCall } from "./run-route.ts";

/** One call, ready to go. */
export interface RoutedCall extends RouteCall {
  /** Sends a call one way: through the interceptors, if there are any. */
  readonly send: (tool: RoutedTool, call: RouteCall) => Promise<ToolOutcome>;
  /** Whether a fallback is still what it was when the call began: the first may have taken a while. */
  readonly isOnOffer: (fallback: RoutedTool) => boolean;
  /** Called before a fallback is tried. */
  readonly onFallback: (error: ToolportError) => void;
}

/**
 * Calls a tool, and its fallback if it has one, the first was out of service, and a second call can do no harm. `timeoutMs` is for both
 * together: when nothing is left of it, the first error is the last word.
 */
export async function callRoutes(tool: CatalogTool, call: RoutedCall): Promise<ToolOutcome> {
  const startedAt = call.clock.now();
  try {
    return await call.send(tool, call);
  } catch (error) {
    if (tool.fallback === undefined || !isToolportError(error) || !allowsFallback(error, tool)) throw error;
    // What the caller selected was the first route's definition.
    const { selected: _selected, timeoutMs, ...rest } = call.options;
    const leftMs = timeoutMs === undefined ? undefined : timeoutMs - (call.clock.now() - startedAt);
    if (leftMs !== undefined && leftMs <= 0) throw error;
    if (!call.isOnOffer(tool.fallback)) throw error;
    call.onFallback(error);
    const options = leftMs === undefined ? rest : { ...rest, timeoutMs: leftMs };
    return await call.send(tool.fallback, { ...call, options });
  }
}

// Limits that cut in because nobody answered in time or had room. All others are somebody's will.
const outagesByPolicy: ReadonlySet<ToolportErrorCode> = new Set<ToolportErrorCode>([
  "call_timeout",
  "circuit_open",
  "connect_timeout",
  "list_timeout",
  "overloaded",
  "request_timeout",
]);

/**
 * An outage, and either the call provably never left, or the product itself says of its tool that running it again changes nothing. Wrong
 * arguments, missing credentials, the caller's own abort and a call that was refused are no outage: whom a rule or a person keeps from
 * one tool must not be led to another that does the same.
 */
function allowsFallback(error: ToolportError, { definition }: CatalogTool): boolean {
  const isOutage = error.kind === "execution" || error.kind === "system" || outagesByPolicy.has(error.code);
  if (!isOutage) return false;
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return error.outcome === "not-sent" || readOnlyHint === true || idempotentHint === true;
}
