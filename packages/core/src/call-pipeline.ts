import { assertCallOptions, isCallArguments, timeSetBy, assertRequestOptions } from "./call-input.ts";
import { isJsonObject, kindOf, type JsonValue, type JsonObject } from "./json.ts";
import { defaultTimeouts } from "./limits.ts";
import { assertLayers, createPipeline, type Pipeline, type PipelineInit, type WorkKind } from "./pipeline.ts";
import { quoteText } from "./text.ts";
import type { ToolOrigin, ToolOutcome, ToolDefinition, ToolEffect } from "./tool.ts";
import { HostsideError } from "./hostside-error.ts";
import type { AdmissionServer } from "./admission.ts";
import type { CallOptions, RequestOptions } from "./connection.ts";
import type { CallContext } from "./call-context.ts";

/** A call on its way to a server, as an interceptor sees it. */
export interface ToolCall {
  readonly origin: ToolOrigin;
  /**
   * The definition that the caller's name led to. The call that runs in the end is this one, or the
   * call is refused with `tool_changed`.
   */
  readonly definition: ToolDefinition;
  /**
   * The server of the tool in the host's own words, labels included. Absent for a tool that is on
   * no server.
   */
  readonly server?: AdmissionServer | undefined;
  /** The effect by the policy of the host. Absent: what the definition says. */
  readonly effect?: ToolEffect | undefined;
  readonly args: JsonObject;
  /**
   * As the caller gave them, but for two: `signal` aborts when the caller gives up, the time is up
   * or the provider closes, and `deadline` is what is left of the call's time. A layer that asks a
   * human stops it meanwhile by `deadline.pause()`; in all it stands still for no more than
   * `elicitTotalMs`, 15 minutes by default.
   */
  readonly options: CallOptions;
}

/** The rest of the way. */
export type CallHandler = (call: ToolCall) => Promise<ToolOutcome>;

/**
 * One layer around every call: approval, limits, audit. It may change arguments and options, answer
 * the call itself, refuse it by throwing, or look at the outcome. Everything it does before `next`
 * happens before anything is sent.
 *
 * - `next` may be called again when it has settled, to try once more. While it is pending, or after
 *   the layer has answered, it rejects with `internal_error`; so it does for another `origin`,
 *   `definition` or `server` than those of the call, because a call is never re-routed, and for
 *   options that no call may have.
 * - What it throws reaches the caller as a `HostsideError`: `call_refused` is the code for a no.
 *   Anything else than a `HostsideError` becomes `internal_error`, with what was thrown as its
 *   cause.
 * - It is bounded. When the time of the call is up, the caller aborts or the provider closes, the
 *   call is over whatever the layer does; its `next` rejects from then on, and
 *   `call.options.signal` says so at once.
 */
export interface Interceptor {
  (call: ToolCall, next: CallHandler): Promise<ToolOutcome>;
  /**
   * Tells whether the layer only hands this call on, and so may be left out for it. A call that no
   * layer looks at costs nothing here. Must not throw. Default: the layer sees every call.
   */
  readonly passes?: ((call: ToolCall) => boolean) | undefined;
}

/**
 * A request of this host that is no tool call, on its way to a server, as an interceptor sees it.
 */
export interface HostRequest {
  readonly serverId: string;
  /** The server in the host's own words, labels included. */
  readonly server?: AdmissionServer | undefined;
  /** Such as `resources/read`. */
  readonly method: string;
  readonly params: JsonObject | undefined;
  /**
   * A notification has no answer: its `next` resolves with `null`, and what a layer answers is
   * dropped.
   */
  readonly isNotification: boolean;
  /** As the caller gave them, but for `signal` and `deadline`: see `ToolCall.options`. */
  readonly options: RequestOptions;
}

/** The rest of the way of a request. */
export type RequestHandler = (request: HostRequest) => Promise<JsonValue>;

/**
 * One layer around every request that is no tool call: `resources/read`, `prompts/get`,
 * `completion/complete`, notifications. The rules of an interceptor of calls hold for it: it may
 * change `params` and `options`, answer, refuse by throwing, or look at the answer; it may not send
 * the request elsewhere or as another one, and it is bounded by the time of the request.
 */
export type RequestInterceptor = (request: HostRequest, next: RequestHandler) => Promise<JsonValue>;

/** A request to a server, as the seam of a provider sees it. */
export interface ServerRequest {
  readonly serverId: string;
  /** Such as `tools/call` or `resources/read`; `initialize` for a connection to be made. */
  readonly method: string;
  /** The call, with `tools/call`. */
  readonly call?: ToolCall | undefined;
  readonly context?: CallContext | undefined;
  /** Aborts when the request is given up. */
  readonly signal?: AbortSignal | undefined;
  /** The first listing of a session. Refusing it costs the session. */
  readonly isStartup?: boolean | undefined;
}

/**
 * Stands around every request of a provider to its servers, once for each try, before anything is
 * started for it. It sends the request with `send()`, with more `_meta` if it likes, or refuses it
 * by throwing. A member of the caller's `_meta` by the same name wins.
 */
export type RequestSeam = <Answer>(
  request: ServerRequest,
  send: (meta?: JsonObject) => Promise<Answer>,
) => Promise<Answer>;

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
