import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { assertCapture } from "./capture.ts";

/** Options of {@linkcode createTelemetry}. */
export interface TelemetryOptions {
  /** Default: the one that is registered with `@opentelemetry/api`, now or later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: as of {@linkcode tracerProvider}. */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Says whether servers get the trace context, as `traceparent` and `tracestate` in `_meta`
   * (SEP-414), by the propagator that is registered. Default `true`. They never get the product's
   * baggage, which may say anything.
   */
  readonly propagate?: boolean | undefined;
  /**
   * Says whether there are also `tool_invocations_total`, `tool_errors_total`,
   * `tool_retries_total`, `tool_latency_seconds` and `circuit_state`, and spans are named
   * `tool:<name>`, with `tool.name`, `tool.origin` and their like. Default `false`.
   */
  readonly toolMetrics?: boolean | undefined;
  /**
   * Says whether spans have the arguments of calls, redacted, 4,096 characters. Default `false`.
   */
  readonly captureArguments?: boolean | undefined;
  /**
   * Says whether spans have the texts of results, and why a call was not approved, which a person
   * may have said; redacted, 4,096 characters. Default `false`.
   */
  readonly captureResults?: boolean | undefined;
  /** Says whether spans say on whose behalf a call was made. Default `false`. */
  readonly capturePrincipal?: boolean | undefined;
  /**
   * Masks secrets in texts that are captured, such as `redactText` of a policy. Values under names
   * that sound secret are masked in any case. Default: nothing else.
   */
  readonly redact?: ((text: string) => string) | undefined;
}

const fields: Fields<TelemetryOptions> = {
  tracerProvider: true,
  meterProvider: true,
  propagate: true,
  toolMetrics: true,
  captureArguments: true,
  captureResults: true,
  capturePrincipal: true,
  redact: true,
};

type Providers = Pick<TelemetryOptions, "tracerProvider" | "meterProvider">;

/** Options with every default in place. */
export type TelemetrySettings = Providers & {
  readonly [Option in keyof Omit<TelemetryOptions, keyof Providers>]-?: NonNullable<TelemetryOptions[Option]>;
};

/**
 * Fills in the defaults. Throws a `TypeError` that names the option that is unknown or of a wrong
 * type.
 */
export function readTelemetryOptions(options: TelemetryOptions): TelemetrySettings {
  assertKnownOptions("createTelemetry()", options, fields);
  const { tracerProvider, meterProvider, toolMetrics = false, propagate = true } = options;
  const { redact = (text: string) => text } = options;
  const { captureArguments = false, captureResults = false, capturePrincipal = false } = options;
  assertMember("tracerProvider", tracerProvider, "getTracer");
  assertMember("meterProvider", meterProvider, "getMeter");
  const flags = { toolMetrics, propagate, captureArguments, captureResults, capturePrincipal };
  assertCapture(flags, redact);
  return { ...flags, tracerProvider, meterProvider, redact };
}

function assertMember(option: string, value: unknown, member: string): void {
  if (value === undefined) return;
  const has = typeof value === "object" && value !== null && typeof Reflect.get(value, member) === "function";
  if (!has) throw new TypeError(`${option} must have the function ${member}`);
}
