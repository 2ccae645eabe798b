import {
  HostsideError,
  type HostsideErrorCode,
  type ToolOutcome,
  defaultTimeouts,
  isHostsideError,
} from "@hostside/core";
import { createDeadline, quoteText, withErrorContext, runWithDeadline } from "@hostside/core/implement";
import { originalOf } from "./inspect-definition.ts";
import type { ProviderRoute, Route, RoutedTool, ToolboxTool } from "./toolbox-catalog.ts";
import { runStaticTool, type RouteCall } from "./static-tool.ts";

/** Runs a tool where it is. Bounded, whatever the tool does. */
export function runRoute(route: Route, call: RouteCall): Promise<ToolOutcome> {
  if (route.kind === "static") return runStaticTool(route.tool, call);
  const { provider, definition } = route;
  const { args, options: given } = call;
  // A provider knows a tool by its own definition of it.
  const selected = given.selected && originalOf(given.selected);
  const options = selected === given.selected ? given : { ...given, selected };
  // Who keeps its time needs no second clock, and costs nothing here.
  if (provider.callTimeoutMs !== undefined) return provider.call(definition.name, args, options);
  return runUnbounded(route, { args, options });
}

/** Calls a provider that keeps no time: it is waited for as long as the call has time. */
async function runUnbounded(
  { provider, definition }: ProviderRoute,
  { args, options }: RouteCall,
): Promise<ToolOutcome> {
  const { name } = definition;
  const { timeoutMs = defaultTimeouts.callMs, signal, deadline: outer } = options;
  const what = `tool ${quoteText(name)} of provider ${JSON.stringify(provider.name)}`;
  try {
    const outcome = await runWithDeadline({ what, timeoutMs, signal, outer }, (deadline) =>
      provider.call(name, args, { ...options, signal: deadline.signal, deadline }),
    );
    return { ...outcome, origin: definition.origin ?? outcome.origin };
  } catch (reason) {
    if (isHostsideError(reason))
      throw reason.toolName === undefined ? withErrorContext(reason, { toolName: name }) : reason;
    const message = `${what} threw something of its own`;
    throw new HostsideError(message, { code: "internal_error", toolName: name, outcome: "unknown", cause: reason });
  }
}

/** How long a call of a tool may take when its options do not say. */
export function timeoutMsOf(route: Route | undefined): number {
  if (route?.kind !== "provider") return defaultTimeouts.callMs;
  return route.provider.callTimeoutMs?.(route.definition.name) ?? defaultTimeouts.callMs;
}

/** One call, ready to go. */
interface RoutedCall extends RouteCall {
  /** Sends a call one way: through the interceptors, if there are any. */
  readonly send: (tool: RoutedTool, call: RouteCall) => Promise<ToolOutcome>;
  /**
   * Says whether a fallback is still what it was when the call began: the first may have taken a
   * while.
   */
  readonly isOnOffer: (fallback: RoutedTool) => boolean;
  /** Called before a fallback is tried. */
  readonly onFallback: (error: HostsideError) => void;
}

/**
 * Calls a tool, and its fallback if the first was out of service and a second call can do no harm.
 * The time of the first is for both together, whoever set it: when nothing is left of it, the first
 * error is the last word.
 */
export async function callEither(tool: ToolboxTool, fallback: RoutedTool, call: RoutedCall): Promise<ToolOutcome> {
  const { options } = call;
  const time = createDeadline({
    timeoutMs: options.timeoutMs ?? timeoutMsOf(tool.route),
    outer: options.deadline,
    mostPausedMs: defaultTimeouts.elicitTotalMs,
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
