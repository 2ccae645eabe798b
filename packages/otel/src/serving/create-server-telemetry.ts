import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type SpanOptions,
} from "@opentelemetry/api";
import { truncateText, type JsonObject } from "@hostside/core";
import { assertKnownOptions, isPlainObject, clock, type Fields } from "@hostside/core/implement";
import { createBoundedValues, type BoundedValues } from "../metrics/bounded-values.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { attribute } from "../names.ts";
import { observeEnd, quietly, type Ending } from "../quietly.ts";
import { endSpan, failureAttributes, spanFailureOf, toolFailure, type SpanFailure } from "../spans/failure.ts";
import { createTracing } from "../spans/tracing.ts";
import type { TelemetryOptions } from "../telemetry-options.ts";

/** Options of {@linkcode createServerTelemetry}. */
export type ServerTelemetryOptions = Pick<TelemetryOptions, "tracerProvider" | "meterProvider">;

/** One request of a client, as it came. */
export interface ServedRequest {
  readonly method: string;
  /** Only `_meta`, `name` and `uri` are read. */
  readonly params?: JsonObject | undefined;
  readonly requestId?: string | number | undefined;
  readonly protocolVersion?: string | undefined;
  /** `"pipe"` is stdio. */
  readonly transport?: "pipe" | "tcp" | undefined;
  /** By lower-case names. Read for the trace context where `_meta` has none. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A session with a client. */
export interface ServedSession {
  readonly protocolVersion?: string | undefined;
  readonly transport?: "pipe" | "tcp" | undefined;
}

/** Traces and metrics of what a server does for its clients. */
export interface ServerTelemetry {
  /**
   * Handles a request inside of a SERVER span, whose parent is the client's: what `_meta` says
   * beats HTTP headers, and the span that is active meanwhile, such as that of the HTTP request,
   * becomes a link. Settles as `work` does. A result with `isError: true` counts as `tool_error`.
   */
  serve<T>(request: ServedRequest, work: () => Promise<T>): Promise<T>;
  /**
   * Measures a session. Call what it returns when the session has ended, with the reason if that
   * was a failure.
   */
  sessionStarted(session?: ServedSession): (error?: unknown) => void;
}

const fields: Fields<ServerTelemetryOptions> = { tracerProvider: true, meterProvider: true };

/**
 * Makes the telemetry of a server, such as a gateway. Throws a `TypeError` for an option that is
 * unknown.
 *
 * @example
 * const gateway = createGateway({ ...options, telemetry: createServerTelemetry() });
 */
export function createServerTelemetry(options: ServerTelemetryOptions = {}): ServerTelemetry {
  assertKnownOptions("createServerTelemetry()", options, fields);
  const tracing = createTracing({ tracerProvider: options.tracerProvider, propagate: false });
  const metrics = createMetrics(table, options.meterProvider, false);
  const bounded = createBoundedValues();
  return {
    serve(request, work) {
      const startedAt = clock.now();
      const parent = parentOf(request);
      const around = parent ?? context.active();
      const span = tracing.start(nameOf(request), spanOptions(request, parent !== undefined), around);
      const within = span === undefined ? around : trace.setSpan(around, span);
      return observeEnd(
        () => context.with(within, work),
        (ending) => {
          const failure = failureOf(ending);
          endSpan(span, failure);
          const attributes = metricAttributes(request, failure, bounded);
          metrics.write("mcp.server.operation.duration", (clock.now() - startedAt) / 1000, attributes);
        },
      );
    },
    sessionStarted({ protocolVersion, transport } = {}) {
      const startedAt = clock.now();
      let isOver = false;
      return (error) => {
        if (isOver) return;
        isOver = true;
        const failure = error === undefined ? undefined : failureOfServer(error);
        metrics.write("mcp.server.session.duration", (clock.now() - startedAt) / 1000, {
          [attribute.protocolVersion]: protocolVersion && bounded.of(attribute.protocolVersion, "", protocolVersion),
          [attribute.transport]: transport,
          [attribute.errorType]: failure && bounded.of(attribute.errorType, "", failure.type),
        });
      };
    },
  };
}

const table = {
  "mcp.server.operation.duration": { kind: "seconds", description: "From the arrival of an MCP request to its answer" },
  "mcp.server.session.duration": { kind: "seconds", description: "From the opening of an MCP session to its end" },
} as const;

// Not the baggage of clients, which may say anything.
const traceKeys = ["traceparent", "tracestate"] as const;

/**
 * The client's context: of `_meta` if that has one, else of the headers. `undefined`: it sent none,
 * and what is active stands.
 */
function parentOf({ params, headers }: ServedRequest): Context | undefined {
  const meta = params?.["_meta"];
  const from = isPlainObject(meta) && typeof meta["traceparent"] === "string" ? meta : headers;
  if (from?.["traceparent"] === undefined) return undefined;
  const carrier: Record<string, string> = {};
  for (const key of traceKeys) {
    const value = from[key];
    if (typeof value === "string" && value.length <= 8192) carrier[key] = value;
  }
  return quietly(() => {
    // The span that is active has its place as a link, and is no parent; all else in the context
    // stays.
    const extracted = propagation.extract(trace.deleteSpan(context.active()), carrier);
    return trace.getSpanContext(extracted) === undefined ? undefined : extracted;
  });
}

function spanOptions(request: ServedRequest, isRemote: boolean): SpanOptions {
  const { method, requestId, protocolVersion } = request;
  const ambient = trace.getSpanContext(context.active());
  return {
    kind: SpanKind.SERVER,
    ...(isRemote && ambient !== undefined && isSpanContextValid(ambient) && { links: [{ context: ambient }] }),
    attributes: {
      ...attributesOf(request),
      [attribute.method]: truncateText(method, longestName),
      [attribute.requestId]: requestId === undefined ? undefined : truncateText(String(requestId), longestName),
      [attribute.protocolVersion]: protocolVersion && truncateText(protocolVersion, 64),
    },
  };
}

function attributesOf(request: ServedRequest): Record<string, string | undefined> {
  const { tool, prompt } = subjectOf(request);
  return {
    [attribute.method]: request.method,
    [attribute.operation]: tool && "execute_tool",
    [attribute.tool]: tool,
    [attribute.prompt]: prompt,
    [attribute.protocolVersion]: request.protocolVersion,
    [attribute.transport]: request.transport,
  };
}

const longestName = 128;

/** The subject of a request, in the client's words. */
function subjectOf({ method, params }: Pick<ServedRequest, "method" | "params">): {
  readonly tool?: string;
  readonly prompt?: string;
} {
  const name = params?.["name"];
  if (typeof name !== "string") return {};
  if (method === "tools/call") return { tool: truncateText(name, longestName) };
  return method === "prompts/get" ? { prompt: truncateText(name, longestName) } : {};
}

function nameOf(request: ServedRequest): string {
  const { tool, prompt } = subjectOf(request);
  const subject = tool ?? prompt;
  const method = truncateText(request.method, longestName);
  return subject === undefined ? method : `${method} ${subject}`;
}

function failureOf(ending: Ending<unknown>): SpanFailure | undefined {
  if ("error" in ending) return failureOfServer(ending.error);
  return isPlainObject(ending.outcome) && ending.outcome["isError"] === true ? toolFailure : undefined;
}

/** A number is the code of a JSON-RPC error, as the official SDK's errors have it. */
function failureOfServer(error: unknown): SpanFailure {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (typeof code === "number") return { type: String(code), rpcCode: code };
  const failure = spanFailureOf(error);
  return failure.type === "internal_error" && typeof code === "string" ? { type: truncateText(code, 64) } : failure;
}

function metricAttributes(
  request: ServedRequest,
  failure: SpanFailure | undefined,
  bounded: BoundedValues,
): Attributes {
  const said = attributesOf(request);
  // What a client says is let in once it has led to an answer: names that it makes up lead to
  // errors of the protocol.
  const isAnswered = failure === undefined || failure === toolFailure;
  for (const name of [attribute.method, attribute.tool, attribute.prompt, attribute.protocolVersion]) {
    const value = said[name];
    if (value === undefined || methods.has(value)) continue;
    said[name] = isAnswered ? bounded.of(name, "", value) : bounded.known(name, "", value);
  }
  for (const [name, value] of Object.entries(failureAttributes(failure))) {
    said[name] = value === undefined ? undefined : bounded.of(name, "", String(value));
  }
  return said;
}

/** Requests of the protocol, in both eras. */
const methods: ReadonlySet<string> = new Set([
  "initialize",
  "server/discover",
  "ping",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
]);
