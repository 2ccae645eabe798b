import {
  defaultTimeouts,
  isHostsideError,
  HostsideError,
  type CallOptions,
  type Clock,
  type JsonObject,
  type ToolOrigin,
  type ToolOutcome,
  type ToolProvider,
} from "@hostside/core";
import { isJsonObject, quoteText, withErrorContext } from "@hostside/core/implement";
import type { Route } from "./catalog-snapshot.ts";
import type { ProviderRoute } from "./inspect-definitions.ts";
import { runWithDeadline } from "./run-with-deadline.ts";
import { localOrigin, runStaticTool } from "./static-tool.ts";

/** A call at the end of its way. */
export interface RouteCall {
  readonly args: JsonObject;
  readonly options: CallOptions;
  readonly clock: Clock;
}

/** Runs a tool where it is. Bounded, whatever the tool does. */
export function runRoute(route: Route, call: RouteCall): Promise<ToolOutcome> {
  if (route.kind === "static") return runStaticTool(route.tool, call);
  const { provider, definition } = route;
  // Who keeps its time needs no second clock, and costs nothing here.
  if (provider.callTimeoutMs !== undefined) return provider.call(definition.name, call.args, call.options);
  return runUnbounded(route, call);
}

/**
 * A call of a provider that may break its word: it is waited for as long as the call has time, and
 * what it throws or answers is looked at.
 */
async function runUnbounded(
  { provider, definition }: ProviderRoute,
  { args, options, clock }: RouteCall,
): Promise<ToolOutcome> {
  const { name } = definition;
  const { timeoutMs = defaultTimeouts.callMs, signal, deadline: outer } = options;
  const what = `tool ${quoteText(name)} of provider ${JSON.stringify(provider.name)}`;
  const fault = (problem: string, cause?: unknown): HostsideError =>
    new HostsideError(`${what} ${problem}`, { code: "internal_error", toolName: name, outcome: "unknown", cause });
  let outcome: unknown;
  try {
    outcome = await runWithDeadline({ what, timeoutMs, signal, outer, clock }, (deadline) =>
      provider.call(name, args, { ...options, signal: deadline.signal, deadline }),
    );
  } catch (reason) {
    if (!isHostsideError(reason)) throw fault("threw something of its own", reason);
    throw reason.toolName === undefined ? withErrorContext(reason, { toolName: name }) : reason;
  }
  if (!isOutcome(outcome)) throw fault("answered nothing that an outcome could be");
  const origin = definition.origin ?? (isOrigin(outcome.origin) ? outcome.origin : localOrigin(name));
  return outcome.origin === origin ? outcome : { ...outcome, origin };
}

function isOutcome(value: unknown): value is ToolOutcome {
  return isJsonObject(value) && Array.isArray(value["content"]);
}

function isOrigin(value: unknown): value is ToolOrigin {
  return isJsonObject(value) && typeof value["serverId"] === "string" && typeof value["toolName"] === "string";
}

/** How long a call of a tool may take when its options do not say. */
export function timeoutMsOf(route: Route | undefined): number {
  if (route?.kind !== "provider") return defaultTimeouts.callMs;
  const { provider, definition } = route;
  return callTimeoutMs(provider, definition.name) ?? defaultTimeouts.callMs;
}

function callTimeoutMs(provider: ToolProvider, name: string): number | undefined {
  const timeoutMs: unknown = provider.callTimeoutMs?.(name);
  return typeof timeoutMs === "number" && timeoutMs > 0 ? timeoutMs : undefined;
}
