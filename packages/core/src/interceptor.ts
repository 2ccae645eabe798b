import type { JsonObject } from "./json.ts";
import type { CallOptions, ToolDefinition, ToolOrigin, ToolOutcome } from "./tool.ts";

/** A call on its way to a server, as an interceptor sees it. */
export interface ToolCall {
  readonly origin: ToolOrigin;
  /** The definition that the caller's name led to. */
  readonly definition: ToolDefinition;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

/** The rest of the way. */
export type CallHandler = (call: ToolCall) => Promise<ToolOutcome>;

/**
 * One layer of the onion around every call: approval, limits, audit. It may change the call, answer it itself, refuse it by
 * throwing, or look at the outcome. What it does before `next` happens before anything is sent.
 */
export type Interceptor = (call: ToolCall, next: CallHandler) => Promise<ToolOutcome>;

/**
 * Folds interceptors around a handler, once: the first of the list is the outermost. An interceptor that throws instead of
 * returning a promise rejects like any other.
 */
export function applyInterceptors(interceptors: readonly Interceptor[], handler: CallHandler): CallHandler {
  return interceptors.reduceRight<CallHandler>((next, interceptor) => async (call) => interceptor(call, next), handler);
}
