import { assertCallOptions, isCallArguments } from "./call-input.ts";
import { interceptorError, type CallPassage } from "./call-passage.ts";
import type { BoundedCallHandler, CallHandler, Interceptor, ToolCall } from "./interceptor.ts";
import { isJsonObject } from "./json.ts";
import type { CallOptions, ToolOrigin, ToolOutcome } from "./tool.ts";
import { isToolportError, type ToolportError } from "./toolport-error.ts";

/** A part of the way, for one call after the other. */
export type Layer = (call: ToolCall, passage: CallPassage) => Promise<ToolOutcome>;

/** Puts the interceptors around the handler, the first one outermost. */
export function layersAround(interceptors: readonly Interceptor[], handler: BoundedCallHandler): Layer {
  const innermost: Layer = (call, passage) => passage.handle(call, handler);
  return interceptors.reduceRight<Layer>(
    (inner, interceptor, index) => layerOf({ interceptor, inner, name: nameOf(interceptor, index) }),
    innermost,
  );
}

interface LayerParts {
  readonly interceptor: Interceptor;
  readonly inner: Layer;
  readonly name: string;
}

function layerOf({ interceptor, inner, name }: LayerParts): Layer {
  return async (call, passage) => {
    let pending = false;
    let left = false;
    const fault = (what: string, cause?: unknown): ToolportError =>
      interceptorError(call, passage, { problem: `${name} ${what}`, cause });
    const goOn = async (changed: ToolCall): Promise<ToolOutcome> => {
      if (passage.ended !== undefined) throw passage.ended;
      if (left) throw fault("called next() after it had answered");
      if (pending) throw fault("called next() again before it had settled");
      const problem = findChange(call, changed);
      if (problem !== undefined) throw fault(`gave next() ${problem}`);
      if (changed.options !== call.options) assertOptions(changed.options, fault);
      pending = true;
      try {
        return await inner(changed, passage);
      } finally {
        pending = false;
        passage.at = name;
      }
    };
    const next: CallHandler = (changed) => {
      const outcome = goOn(changed);
      // An interceptor that answers without waiting for what it started must not end the process with that.
      outcome.catch(() => {});
      return outcome;
    };
    passage.at = name;
    try {
      const outcome: unknown = await interceptor(call, next);
      if (!isOutcome(outcome)) throw fault("answered nothing; it returns what next() does, or an outcome");
      // Whoever answers instead of the server answers for this one.
      return sameOrigin(outcome.origin, call.origin) ? outcome : { ...outcome, origin: call.origin };
    } catch (reason) {
      if (isToolportError(reason)) throw reason;
      throw fault("threw something of its own", reason);
    } finally {
      left = true;
    }
  };
}

/** What a call that is handed on must not be. */
function findChange({ origin, definition }: ToolCall, changed: ToolCall | undefined): string | undefined {
  if (!isJsonObject(changed)) return "no call";
  if (changed.origin !== origin || changed.definition !== definition) {
    return "another origin or definition; a call is never re-routed";
  }
  return isCallArguments(changed.args) && isJsonObject(changed.options)
    ? undefined
    : "args or options that are no object";
}

function assertOptions(options: CallOptions, fault: (what: string, cause: unknown) => ToolportError): void {
  try {
    assertCallOptions(options);
  } catch (reason) {
    throw fault("gave next() options that no call may have", reason);
  }
}

function isOutcome(value: unknown): value is ToolOutcome {
  return typeof value === "object" && value !== null && "content" in value && Array.isArray(value.content);
}

function sameOrigin(a: ToolOrigin | undefined, b: ToolOrigin): boolean {
  return a === b || (a?.serverId === b.serverId && a.toolName === b.toolName && a.qualifiedName === b.qualifiedName);
}

function nameOf({ name }: Interceptor, index: number): string {
  return name === "" ? `interceptor ${index + 1}` : `interceptor ${index + 1} (${name})`;
}
