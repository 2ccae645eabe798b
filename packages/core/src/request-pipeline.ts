import { assertRequestOptions, isCallArguments, timeSetBy } from "./call-input.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { defaultTimeouts } from "./limits.ts";
import type { WorkKind } from "./call-execution.ts";
import { createPipeline, type Pipeline, type PipelineInit } from "./pipeline.ts";
import { quoteText } from "./quote-text.ts";
import type { HostRequest, RequestInterceptor } from "./request-interceptor.ts";
import { HostsideError } from "./hostside-error.ts";

/** The way of all requests of one provider that are no tool calls: their interceptors. */
export type RequestPipeline = Pipeline<HostRequest, JsonValue>;

/** What a pipeline is made from. */
export interface RequestPipelineInit extends Omit<
  PipelineInit<HostRequest, JsonValue>,
  "interceptors" | "timeoutMsOf"
> {
  /** The first one is the outermost. */
  readonly interceptors: readonly RequestInterceptor[];
  /**
   * How long a request without a `timeoutMs` may take in all, in milliseconds. Default `requestMs`
   * of the default timeouts.
   */
  readonly timeoutMsOf?: PipelineInit<HostRequest, JsonValue>["timeoutMsOf"] | undefined;
}

/** Folds interceptors into one another, once, and bounds every request that goes through them. */
export function createRequestPipeline({ timeoutMsOf = defaultTime, ...init }: RequestPipelineInit): RequestPipeline {
  return createPipeline({ ...init, timeoutMsOf }, requests);
}

function defaultTime(): number {
  return defaultTimeouts.requestMs;
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
  withBounds: (request, bounds) => ({ ...request, options: { ...request.options, ...bounds } }),
  handOn: (request, { params, options }, bounds) => ({ ...request, params, options: { ...options, ...bounds } }),
};
