import { assertCallOptions, isCallArguments, timeSetBy, assertRequestOptions } from "./call-input.ts";
import type { CallHandler, Interceptor, ToolCall, HostRequest } from "./interceptor.ts";
import { isJsonObject, kindOf, type JsonValue } from "./json.ts";
import { defaultTimeouts } from "./limits.ts";
import { assertLayers, createPipeline, type Pipeline, type PipelineInit, type WorkKind } from "./pipeline.ts";
import { quoteText } from "./text.ts";
import type { ToolOrigin, ToolOutcome } from "./tool.ts";
import { HostsideError } from "./hostside-error.ts";

/** The way of all calls of one toolbox: its interceptors. */
export type CallPipeline = Pipeline<ToolCall, ToolOutcome>;

/** Folds interceptors into one another, once, and bounds every call that goes through them. */
export function createCallPipeline(init: PipelineInit<ToolCall, ToolOutcome>): CallPipeline {
  return createPipeline(init, calls);
}

/**
 * Folds interceptors around a handler, once: the first of the list is the outermost. A call takes
 * no longer than `options.timeoutMs`, by default {@linkcode defaultTimeouts}`.callMs`. Throws a
 * `TypeError` for what is no function.
 *
 * @example
 * const handler = applyInterceptors([audit], (call) => callServer(call));
 */
export function applyInterceptors(interceptors: readonly Interceptor[], handler: CallHandler): CallHandler {
  if (typeof handler !== "function") {
    throw new TypeError(`applyInterceptors(): the handler must be a function, not ${kindOf(handler)}`);
  }
  assertLayers("applyInterceptors(): interceptors", interceptors);
  if (interceptors.length === 0) return handler;
  const pipeline = createCallPipeline({ interceptors });
  return (call) => pipeline.run(call, handler);
}

const calls: WorkKind<ToolCall, ToolOutcome> = {
  error({ origin: { serverId, toolName } }, code, { problem, ...rest }) {
    const owner = serverId === "" ? "" : ` on ${JSON.stringify(serverId)}`;
    return new HostsideError(`call of ${quoteText(toolName)}${owner} ${problem}`, {
      code,
      serverId: serverId || undefined,
      toolName,
      outcome: "not-sent",
      ...rest,
    });
  },
  timeoutCode: "call_timeout",
  timeoutMs: defaultTimeouts.callMs,
  timeSetBy: ({ options }) => timeSetBy(options),
  findChange({ origin, definition, server }, changed) {
    if (!isJsonObject(changed)) return "no call";
    if (changed.origin !== origin || changed.definition !== definition || changed.server !== server) {
      return "another origin, definition or server; a call is never re-routed";
    }
    return isCallArguments(changed.args) && isJsonObject(changed.options)
      ? undefined
      : "args or options that are no object";
  },
  assertOptions: (options) => assertCallOptions(options),
  isAnswer: (value): value is ToolOutcome =>
    typeof value === "object" && value !== null && "content" in value && Array.isArray(value.content),
  // Whoever answers instead of the server answers for this one.
  sign: (outcome, { origin }) => (sameOrigin(outcome.origin, origin) ? outcome : { ...outcome, origin }),
  // What the layers looked at is what runs.
  handOn: (call, { args, options }, bounds) => ({
    ...call,
    args,
    options: { ...options, ...bounds, selected: options.selected ?? call.definition },
  }),
};

function sameOrigin(a: ToolOrigin | undefined, b: ToolOrigin): boolean {
  return a === b || (a?.serverId === b.serverId && a.toolName === b.toolName && a.qualifiedName === b.qualifiedName);
}

/** The way of all requests of one provider that are no tool calls: their interceptors. */
export type RequestPipeline = Pipeline<HostRequest, JsonValue>;

/** Folds interceptors into one another, once, and bounds every request that goes through them. */
export function createRequestPipeline(init: PipelineInit<HostRequest, JsonValue>): RequestPipeline {
  return createPipeline(init, requests);
}

const requests: WorkKind<HostRequest, JsonValue> = {
  error({ serverId, method }, code, { problem, ...rest }) {
    return new HostsideError(`request ${quoteText(method)} to ${JSON.stringify(serverId)} ${problem}`, {
      code,
      serverId,
      outcome: "not-sent",
      ...rest,
      details: { operation: method, ...rest.details },
    });
  },
  timeoutCode: "request_timeout",
  timeoutMs: defaultTimeouts.requestMs,
  timeSetBy: ({ options }) => timeSetBy(options, "request"),
  findChange(request, changed) {
    if (!isJsonObject(changed)) return "no request";
    const isSame = (["serverId", "server", "method", "isNotification"] as const).every(
      (member) => changed[member] === request[member],
    );
    if (!isSame) return "another server or method; a request is never re-routed";
    const { params, options } = changed;
    return (params === undefined || isCallArguments(params)) && isJsonObject(options)
      ? undefined
      : "params or options that are no object";
  },
  assertOptions: (options) => assertRequestOptions(options),
  isAnswer: (value): value is JsonValue => value !== undefined && typeof value !== "function",
  sign: (answer) => answer,
  handOn: (request, { params, options }, bounds) => ({ ...request, params, options: { ...options, ...bounds } }),
};
