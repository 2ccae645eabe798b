import { context } from "@opentelemetry/api";
import type { CallObserver, Interceptor, ToolCall, ToolOutcome } from "@hostside/core";
import { clock, joinObservers } from "@hostside/core/implement";
import { measureCall, measureDecision, measureRecord, type MetricParts } from "./metrics/call-metrics.ts";
import { startCallSpan, type CallSpan } from "./spans/call-span.ts";
import { spanFailureOf, toolFailure } from "./spans/failure.ts";
import type { Tracing } from "./spans/tracing.ts";
import type { TelemetrySettings } from "./telemetry-options.ts";

/** Parts that observe calls. */
export interface TraceParts extends MetricParts {
  readonly tracing: Tracing;
  readonly settings: TelemetrySettings;
}

/**
 * The layer around each call. Without an SDK it lets the call pass as it is.
 */
export function traceCalls(parts: TraceParts): Interceptor {
  const { tracing, settings, metrics } = parts;
  return (call, next) => {
    if (!tracing.isOn && !metrics.isOn()) return next(call);
    const { observer } = call.options;
    const span = startCallSpan(call, tracing, settings);
    const joined = joinObservers(observerOf(call, span, parts), observer);
    return observe({ ...call, options: { ...call.options, observer: joined } }, next, { span, parts });
  };
}

async function observe(
  call: ToolCall,
  next: Parameters<Interceptor>[1],
  { span, parts }: { readonly span: CallSpan | undefined; readonly parts: TraceParts },
): Promise<ToolOutcome> {
  const startedAt = clock.now();
  try {
    const outcome = await (span === undefined ? next(call) : context.with(span.context, next, undefined, call));
    span?.end({ outcome });
    const failure = outcome.isError ? toolFailure : undefined;
    measureCall(call, { durationMs: clock.now() - startedAt, failure }, parts);
    return outcome;
  } catch (error) {
    span?.end({ error });
    measureCall(call, { durationMs: clock.now() - startedAt, failure: spanFailureOf(error) }, parts);
    throw error;
  }
}

function observerOf(call: ToolCall, span: CallSpan | undefined, parts: TraceParts): CallObserver {
  return {
    meta: () => parts.tracing.carry(span?.context ?? context.active()),
    onDecision(decision) {
      span?.decided(decision);
      measureDecision(call, decision, parts);
    },
    onRecord(record) {
      span?.recorded(record);
      measureRecord(record, parts);
    },
  };
}
