import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import type { JsonObject } from "@hostside/core";
import { scopeName } from "../names.ts";
import { quietly } from "../quietly.ts";
import type { TelemetrySettings } from "../telemetry-options.ts";

/** Spans, and where their context goes. */
export interface Tracing {
  /**
   * Says whether spans come to anything, or there is a context to hand on. Cheap, because it is
   * asked with every call.
   */
  readonly isOn: boolean;
  /**
   * Starts a span under `parent`; default the one that is active. `undefined` where nothing makes
   * spans.
   */
  start(name: string, options: SpanOptions, parent?: Context): Span | undefined;
  /** The context with a span in it; `of` is that of its parent, default the one that is active. */
  contextOf(span: Span | undefined, of?: Context): Context;
  /** The members of `_meta` for this context; `undefined` where there is nothing. */
  carry(of: Context): JsonObject | undefined;
}

type TracingSettings = Pick<TelemetrySettings, "tracerProvider" | "propagate">;

/** Finds the tracer at each use, because an SDK may be registered later. */
export function createTracing({ tracerProvider, propagate }: TracingSettings): Tracing {
  const given = tracerProvider && quietly(() => tracerProvider.getTracer(scopeName));
  let registered: TracerProvider | undefined;
  let registeredTracer: Tracer | undefined;
  const findTracer = (): Tracer | undefined => {
    if (tracerProvider !== undefined) return given;
    const provider = trace.getTracerProvider();
    if (quietly(() => isReal(provider)) !== true) return undefined;
    if (provider !== registered) {
      registered = provider;
      registeredTracer = quietly(() => provider.getTracer(scopeName));
    }
    return registeredTracer;
  };
  return {
    get isOn() {
      return findTracer() !== undefined || trace.getSpanContext(context.active()) !== undefined;
    },
    start: (name, options, parent = context.active()) => quietly(() => findTracer()?.startSpan(name, options, parent)),
    contextOf: (span, of = context.active()) => (span === undefined ? of : trace.setSpan(of, span)),
    carry(of) {
      if (!propagate) return undefined;
      return quietly(() => {
        const spanContext = trace.getSpanContext(of);
        if (spanContext === undefined || !isSpanContextValid(spanContext)) return undefined;
        const carrier: Record<string, string> = {};
        // Baggage may say anything.
        propagation.inject(propagation.deleteBaggage(of), carrier);
        return Object.keys(carrier).length === 0 ? undefined : carrier;
      });
    },
  };
}

/**
 * The context of whoever causes something now, or nowhere. Whatever an event loop hands on may
 * still be in the context of a call that is long over; an open span alone proves that somebody
 * waits.
 */
export function causeNow(): Context {
  return quietly(() => trace.getActiveSpan()?.isRecording()) === true ? context.active() : ROOT_CONTEXT;
}

// The proxy of the API has no delegate before an SDK is registered, and makes spans of nothing
// until then. Its class is deprecated, and another copy of the API has another.
function isReal(provider: TracerProvider): boolean {
  if (!("getDelegateTracer" in provider) || typeof provider.getDelegateTracer !== "function") return true;
  return provider.getDelegateTracer(scopeName) !== undefined;
}

/**
 * Milliseconds since 1970 as spans take them: seconds and nanoseconds. A number alone may be taken
 * for a time since the process began.
 */
export function spanTime(at: number): [number, number] {
  const seconds = Math.floor(at / 1000);
  return [seconds, Math.round((at - seconds * 1000) * 1_000_000)];
}
