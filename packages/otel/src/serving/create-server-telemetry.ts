import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Histogram,
  type MeterProvider,
  type Span,
  type SpanOptions,
  type TextMapPropagator,
  type TracerProvider,
} from "@opentelemetry/api";
import { truncateText, type Clock, type JsonObject } from "@hostside/core";
import { assertKnownOptions, isPlainObject, systemClock, type Fields } from "@hostside/core/implement";
import { createBoundedValues, type BoundedValues, type ValueBounds } from "../metrics/bounded-values.ts";
import { findInstruments } from "../metrics/find-instruments.ts";
import { attribute, durationBuckets } from "../names.ts";
import { quietly } from "../quietly.ts";
import { failureAttributes, spanFailureOf, toolFailure, type SpanFailure } from "../spans/failure.ts";
import { createTracing } from "../spans/tracing.ts";

/** Options of {@linkcode createServerTelemetry}. */
export interface ServerTelemetryOptions {
  /** Default: the one that is registered with `@opentelemetry/api`, now or later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: as of {@linkcode tracerProvider}. */
  readonly meterProvider?: MeterProvider | undefined;
  /** What reads the trace context of clients. Default: the one that is registered. */
  readonly propagator?: TextMapPropagator | undefined;
  /** Whether the baggage of clients is taken over, which may say anything. Default `false`. */
  readonly baggage?: boolean | undefined;
  /**
   * Whether spans have the protocol's session id. Whoever has it may speak in the session. Default
   * `false`.
   */
  readonly captureSessionId?: boolean | undefined;
  /**
   * How many different values attributes of metrics may have. Names of tools, prompts and methods
   * that were never answered but by an error of the protocol are `_OTHER`, and use up none of them.
   */
  readonly bounds?: ValueBounds | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** One request of a client, as it came. */
export interface ServedRequest {
  readonly method: string;
  /** Only `_meta`, `name` and `uri` are read. */
  readonly params?: JsonObject | undefined;
  readonly requestId?: string | number | undefined;
  readonly protocolVersion?: string | undefined;
  readonly sessionId?: string | undefined;
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

const fields: Fields<ServerTelemetryOptions> = {
  tracerProvider: true,
  meterProvider: true,
  propagator: true,
  baggage: true,
  captureSessionId: true,
  bounds: true,
  clock: true,
};

/**
 * Makes the telemetry of a server, such as a gateway. Throws a `TypeError` for an option that is
 * unknown.
 */
export function createServerTelemetry(options: ServerTelemetryOptions = {}): ServerTelemetry {
  assertKnownOptions("createServerTelemetry()", options, fields);
  const { tracerProvider, propagator, baggage = false, captureSessionId = false, clock = systemClock } = options;
  const tracing = createTracing({ tracerProvider, propagator, propagate: false, baggage });
  const find = createServerInstruments(options.meterProvider);
  const bounded = createBoundedValues(options.bounds);
  return {
    async serve(request, work) {
      const startedAt = clock.now();
      const parent = parentOf(request, { propagator, baggage });
      const span = tracing.start(
        nameOf(request),
        spanOptions(request, { captureSessionId, isRemote: parent !== undefined }),
        parent ?? context.active(),
      );
      const within =
        span === undefined ? (parent ?? context.active()) : trace.setSpan(parent ?? context.active(), span);
      const end = (failure: SpanFailure | undefined): void => {
        endSpan(span, failure);
        const attributes = metricAttributes(request, failure, bounded);
        quietly(() => find()?.operation.record((clock.now() - startedAt) / 1000, attributes));
      };
      try {
        const result = await context.with(within, work);
        end(isPlainObject(result) && result["isError"] === true ? toolFailure : undefined);
        return result;
      } catch (error) {
        end(failureOfServer(error));
        throw error;
      }
    },
    sessionStarted({ protocolVersion, transport } = {}) {
      const startedAt = clock.now();
      let isOver = false;
      return (error) => {
        if (isOver) return;
        isOver = true;
        const failure = error === undefined ? undefined : failureOfServer(error);
        quietly(() =>
          find()?.session.record((clock.now() - startedAt) / 1000, {
            ...connectionAttributes({ protocolVersion, transport }, (name, value) => bounded.of(name, "", value)),
            ...(failure !== undefined && { [attribute.errorType]: bounded.of(attribute.errorType, "", failure.type) }),
          }),
        );
      };
    },
  };
}

const traceKeys = ["traceparent", "tracestate", "baggage"] as const;

/**
 * The client's context: of `_meta` if that has one, else of the headers. `undefined`: it sent none,
 * and what is active stands.
 */
function parentOf(
  { params, headers }: ServedRequest,
  { propagator, baggage }: { readonly propagator: TextMapPropagator | undefined; readonly baggage: boolean },
): Context | undefined {
  const meta = params?.["_meta"];
  const from = isPlainObject(meta) && typeof meta["traceparent"] === "string" ? meta : headers;
  if (from?.["traceparent"] === undefined) return undefined;
  const carrier: Record<string, string> = {};
  for (const key of traceKeys) {
    const value = from[key];
    if (typeof value === "string" && value.length <= 8192 && (key !== "baggage" || baggage)) carrier[key] = value;
  }
  return quietly(() => {
    // The span that is active has its place as a link, and is no parent; all else in the context
    // stays.
    const base = trace.deleteSpan(context.active());
    const extracted =
      propagator === undefined ? propagation.extract(base, carrier) : propagator.extract(base, carrier, textGetter);
    return trace.getSpanContext(extracted) === undefined ? undefined : extracted;
  });
}

const textGetter = {
  keys: (carrier: Readonly<Record<string, string>>): string[] => Object.keys(carrier),
  get: (carrier: Readonly<Record<string, string>>, key: string): string | undefined => carrier[key],
};

function spanOptions(
  { method, params, requestId, protocolVersion, sessionId, transport }: ServedRequest,
  { captureSessionId, isRemote }: { readonly captureSessionId: boolean; readonly isRemote: boolean },
): SpanOptions {
  const ambient = trace.getSpanContext(context.active());
  const { tool, prompt } = subjectOf({ method, params });
  return {
    kind: SpanKind.SERVER,
    ...(isRemote && ambient !== undefined && isSpanContextValid(ambient) && { links: [{ context: ambient }] }),
    attributes: {
      [attribute.method]: truncateText(method, longestName),
      ...(tool !== undefined && { [attribute.operation]: "execute_tool", [attribute.tool]: tool }),
      ...(prompt !== undefined && { [attribute.prompt]: prompt }),
      ...(requestId !== undefined && { [attribute.requestId]: truncateText(String(requestId), longestName) }),
      ...(protocolVersion !== undefined && { [attribute.protocolVersion]: truncateText(protocolVersion, 64) }),
      ...(transport !== undefined && { [attribute.transport]: transport }),
      ...(captureSessionId && sessionId !== undefined && { [attribute.sessionId]: truncateText(sessionId, 256) }),
    },
  };
}

const longestName = 128;

/** What a request is about, in words of the client's. */
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

function endSpan(span: Span | undefined, failure: SpanFailure | undefined): void {
  if (span === undefined) return;
  quietly(() => {
    if (failure === undefined) return;
    span.setAttributes(failureAttributes(failure));
    span.setStatus({ code: SpanStatusCode.ERROR, message: failure.type });
  });
  quietly(() => span.end());
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
  const { tool, prompt } = subjectOf(request);
  // What a client says is let in once it has led to an answer: names that it makes up lead to
  // errors of the protocol.
  const isAnswered = failure === undefined || failure === toolFailure;
  const said = (name: string, value: string): string =>
    isAnswered ? bounded.of(name, "", value) : bounded.known(name, "", value);
  return {
    [attribute.method]: methods.has(request.method) ? request.method : said(attribute.method, request.method),
    ...(tool !== undefined && { [attribute.operation]: "execute_tool", [attribute.tool]: said(attribute.tool, tool) }),
    ...(prompt !== undefined && { [attribute.prompt]: said(attribute.prompt, prompt) }),
    ...connectionAttributes(request, said),
    ...(failure !== undefined && { [attribute.errorType]: bounded.of(attribute.errorType, "", failure.type) }),
    ...(failure?.rpcCode !== undefined && {
      [attribute.rpcStatus]: bounded.of(attribute.rpcStatus, "", String(failure.rpcCode)),
    }),
  };
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

function connectionAttributes(
  { protocolVersion, transport }: ServedSession,
  said: (name: string, value: string) => string,
): Attributes {
  return {
    ...(protocolVersion !== undefined && {
      [attribute.protocolVersion]: said(attribute.protocolVersion, protocolVersion),
    }),
    ...(transport !== undefined && { [attribute.transport]: transport }),
  };
}

interface ServerInstruments {
  readonly operation: Histogram;
  readonly session: Histogram;
}

function createServerInstruments(provider: MeterProvider | undefined): () => ServerInstruments | undefined {
  return findInstruments(provider, (meter) => {
    const seconds = (name: string, description: string): Histogram =>
      meter.createHistogram(name, {
        unit: "s",
        description,
        advice: { explicitBucketBoundaries: [...durationBuckets] },
      });
    return {
      operation: seconds("mcp.server.operation.duration", "From the arrival of an MCP request to its answer"),
      session: seconds("mcp.server.session.duration", "From the opening of an MCP session to its end"),
    };
  });
}
