/// <reference lib="esnext.disposable" preserve="true" />
import {
  redactUrl,
  truncateText,
  type Interceptor,
  type RequestInterceptor,
  type Subscription,
  type CallObserver,
  type HostRequest,
  type JsonObject,
  type JsonValue,
  type Event,
  type ServerOperation,
  type ServerPeer,
  type ServerRecord,
} from "@hostside/core";
import { clock, isJsonObject, isPlainObject, joinObservers, type Fields } from "@hostside/core/implement";
import { context, SpanKind, type Attributes } from "@opentelemetry/api";
import { createBoundedValues } from "./metrics/bounded-values.ts";
import {
  boundedServerId,
  clientTable,
  measureRequest,
  type MetricParts,
  watchSessions,
  type SessionWatch,
  methodOfConnecting,
} from "./metrics/call-metrics.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { attribute } from "./names.ts";
import { observeEnd, quietly, type Ending } from "./quietly.ts";
import { endSpan, spanFailureOf } from "./spans/failure.ts";
import { peerAttributes } from "./spans/peer-attributes.ts";
import { createTracing, causeNow, spanTime, type Tracing } from "./spans/tracing.ts";
import { readTelemetryOptions, type TelemetryOptions } from "./telemetry-options.ts";
import { traceCalls, type TraceParts } from "./trace-calls.ts";

// What is watched, in the words of whoever has it: nothing here depends on the packages that make
// these.

/** The records of a provider about its servers; an `McpProvider` is one. */
export interface WatchedProvider {
  readonly onServerRecord: Event<ServerRecord>;
  /** Absent: connecting and listing have no spans, and carry no trace context. */
  readonly onServerOperation?: Event<ServerOperation> | undefined;
  readonly onClosed?: Event<undefined> | undefined;
}

/** The events of a policy about its circuits; a `Policy` is one. */
export interface WatchedPolicy {
  readonly onEvent: Event<{ readonly type: string; readonly serverId?: string; readonly toolName?: string }>;
}

/** The counters of resources; a `Resources` is one. */
export interface WatchedResources {
  stats(): {
    readonly servers: readonly {
      readonly serverId: string;
      readonly cacheHits: number;
      readonly cacheMisses: number;
      readonly refusedUris: number;
    }[];
  };
}

/** Parts that can be watched; each part on its own or all together. */
export interface WatchedParts {
  readonly provider?: WatchedProvider | undefined;
  readonly policy?: WatchedPolicy | undefined;
  readonly resources?: WatchedResources | undefined;
}

/** Traces and metrics of what a host does with its servers. */
export interface Telemetry {
  /**
   * For the option `interceptors` of a toolbox, before all others: a span around each call, the
   * trace context into its `_meta`, and metrics.
   */
  readonly interceptor: Interceptor;
  /**
   * For the option `requestInterceptors` of a provider: the same for `resources/read`,
   * `prompts/get` and every other request on its connections.
   */
  readonly requestInterceptor: RequestInterceptor;
  /**
   * Spans and metrics of connecting, listing and sessions, of circuits and caches, until the
   * subscription ends. Throws a `TypeError` for anything but such parts by name.
   */
  watch(parts: WatchedParts): Subscription;
  /**
   * Writes the counters of resources that are watched; for whoever reads metrics at moments of
   * their own. They are written every time that something of a server is recorded, too.
   */
  collect(): void;
}

/**
 * Makes spans and metrics by the semantic conventions of OpenTelemetry for MCP and generative AI.
 * Starts nothing, and registers nothing: without an SDK nothing happens, and next to nothing is
 * paid. An exporter, a processor or a propagator that throws disturbs no call.
 * Neither arguments nor results, messages of errors nor principals are in anything unless they are
 * asked for.
 *
 * Throws a `TypeError` that names an option that is unknown or of a wrong type.
 *
 * @example
 * const telemetry = createTelemetry({ captureArguments: true, redact: policy.redactText });
 * const host = await createHost({ config: "auto", telemetry });
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const settings = readTelemetryOptions(options);
  const { meterProvider, toolMetrics } = settings;
  const watches = new Set<SessionWatch>();
  const peerOf = (serverId: string): Partial<ServerPeer> | undefined =>
    commonPeer(Array.from(watches).flatMap((watch) => watch.peersOf(serverId)));
  const tracing = createTracing(settings);
  const metrics = createMetrics(clientTable, meterProvider, toolMetrics);
  const parts: TraceParts = { settings, tracing, metrics, toolMetrics, bounded: createBoundedValues() };
  const collectors = new Set<() => void>();
  const collect = (): void => {
    for (const write of collectors) write();
  };

  const watchProvider = ({ onServerRecord, onServerOperation, onClosed }: WatchedProvider): readonly (() => void)[] => {
    const sessions = watchSessions(parts);
    watches.add(sessions);
    const ends = [
      onServerOperation?.((operation) => traceOperation(operation, tracing)),
      onServerRecord((record) => {
        sessions.note(record);
        collect();
      }),
      onClosed?.(() => sessions.closed()),
    ];
    return [() => watches.delete(sessions), ...ends.filter((end) => end !== undefined)];
  };
  const watchResources = (resources: WatchedResources): (() => void) => {
    const seen = new Map<string, ResourceCounters>();
    const write = (): void => quietly(() => measureResources(resources, seen, parts));
    collectors.add(write);
    return () => {
      write();
      collectors.delete(write);
    };
  };

  return {
    interceptor: traceCalls(parts),
    requestInterceptor(request, next) {
      return tracing.isOn || metrics.isOn() ? observe(request, next, { parts, peerOf }) : next(request);
    },
    watch(watched) {
      assertWatched(watched);
      const { provider, policy, resources } = watched;
      const ends = [
        ...(provider === undefined ? [] : watchProvider(provider)),
        ...(policy === undefined ? [] : [policy.onEvent((event) => measureCircuit(event, parts))]),
        ...(resources === undefined ? [] : [watchResources(resources)]),
      ];
      const end = (): void => {
        for (const stop of ends.splice(0)) stop();
      };
      return Object.assign(end, { [Symbol.dispose]: end });
    },
    collect,
  };
}

const watchedFields: Fields<WatchedParts> = { provider: true, policy: true, resources: true };

// A provider itself has none of these members: nothing would be measured, and nobody would know.
function assertWatched(watched: unknown): void {
  const names = isJsonObject(watched) ? Object.keys(watched) : [];
  if (names.length > 0 && names.every((name) => Object.hasOwn(watchedFields, name))) return;
  const known = Object.keys(watchedFields).join(", ");
  throw new TypeError(`watch() takes what it watches by name, as in watch({ provider }): ${known}`);
}

const states: ReadonlyMap<string, number> = new Map([
  ["circuit-closed", 0],
  ["circuit-half-opened", 1],
  ["circuit-opened", 2],
]);

type CircuitEvent = Parameters<Parameters<WatchedPolicy["onEvent"]>[0]>[0];

/** Writes the state that a circuit has now. */
function measureCircuit({ type, serverId = "", toolName }: CircuitEvent, parts: MetricParts): void {
  const state = states.get(type);
  if (state === undefined) return;
  const server = boundedServerId(serverId, parts);
  const tool = toolName === undefined ? undefined : parts.bounded.of(attribute.tool, serverId, toolName);
  parts.metrics.write("hostside.circuit.state", state, { [attribute.server]: server, [attribute.tool]: tool });
  parts.metrics.write("circuit_state", state, { server, tool });
}

type ResourceCounters = ReturnType<WatchedResources["stats"]>["servers"][number];

const counters = [
  ["cacheHits", "hostside.resource.cache.reads", { "hostside.cache.result": "hit" }],
  ["cacheMisses", "hostside.resource.cache.reads", { "hostside.cache.result": "miss" }],
  ["refusedUris", "hostside.resource.refused_uris", {}],
] as const;

/** Writes what was counted since it was asked last. */
function measureResources(resources: WatchedResources, seen: Map<string, ResourceCounters>, parts: MetricParts): void {
  const { metrics } = parts;
  if (!metrics.isOn()) return;
  for (const now of resources.stats().servers) {
    const before = seen.get(now.serverId);
    seen.set(now.serverId, now);
    const server = boundedServerId(now.serverId, parts);
    for (const [counter, name, attributes] of counters) {
      // A server that was removed and came again begins anew.
      const more = now[counter] - (before !== undefined && now[counter] >= before[counter] ? before[counter] : 0);
      if (more > 0) metrics.write(name, more, { [attribute.server]: server, ...attributes });
    }
  }
}

const shared = ["transport", "protocolVersion", "address", "port"] as const;

// What is not true of all sessions of a server is said of none.
function commonPeer([first, ...others]: readonly ServerPeer[]): Partial<ServerPeer> | undefined {
  const common = shared.filter((name) => others.every((other) => other[name] === first?.[name]));
  return first && Object.fromEntries(common.map((name) => [name, first[name]]));
}

interface RequestTrace {
  readonly parts: TraceParts;
  readonly peerOf: (serverId: string) => Partial<ServerPeer> | undefined;
}

function observe(
  request: HostRequest,
  next: Parameters<RequestInterceptor>[1],
  { parts, peerOf }: RequestTrace,
): Promise<JsonValue> {
  const { tracing } = parts;
  const { serverId, method } = request;
  const startedAt = clock.now();
  const attributes = { ...requestAttributes(request), ...peerAttributes(peerOf(serverId)) };
  const span = tracing.start(nameOf(request), { kind: SpanKind.CLIENT, attributes });
  const within = tracing.contextOf(span);
  const onExchange: CallObserver["onExchange"] = ({ requestId }) =>
    void quietly(() => span?.setAttribute(attribute.requestId, String(requestId)));
  const end = (ending: Ending<unknown>): void => {
    const failure = "error" in ending ? spanFailureOf(ending.error) : undefined;
    endSpan(span, failure);
    const durationMs = clock.now() - startedAt;
    const subject = promptOf(request);
    measureRequest({ serverId, method, durationMs, failure, peer: peerOf(serverId), subject }, parts);
  };
  const params = withMeta(request.params, tracing.carry(within));
  const options = { ...request.options, observer: joinObservers({ onExchange }, request.options.observer) };
  return observeEnd(() => context.with(within, next, undefined, { ...request, params, options }), end);
}

// A copy: what the caller handed over stays as it is.
function withMeta(params: JsonObject | undefined, carried: JsonObject | undefined): JsonObject | undefined {
  if (carried === undefined) return params;
  const before = params?.["_meta"];
  return { ...params, _meta: { ...(isPlainObject(before) && before), ...carried } };
}

function nameOf(request: HostRequest): string {
  const prompt = promptOf(request)[attribute.prompt];
  return prompt === undefined ? request.method : `${request.method} ${String(prompt)}`;
}

function requestAttributes(request: HostRequest): Attributes {
  const uri = request.params?.["uri"];
  return {
    [attribute.method]: request.method,
    [attribute.server]: request.serverId,
    ...promptOf(request),
    [attribute.resourceUri]: typeof uri === "string" ? truncateText(safeUri(uri), 256) : undefined,
  };
}

// Addresses on the web have tokens in queries and paths; names of other schemes are the server's
// own, but for who may log in there.
function safeUri(uri: string): string {
  const scheme = URL.canParse(uri) ? new URL(uri).protocol : "";
  if (scheme === "http:" || scheme === "https:") return redactUrl(uri);
  return uri.replace(/[?#].*$/s, "").replace(/^([^/]{0,64}:\/\/)[^/]*@/, "$1***@");
}

function promptOf({ method, params }: HostRequest): Attributes {
  const name = params?.["name"];
  if (method !== "prompts/get" || typeof name !== "string") return {};
  return { [attribute.prompt]: truncateText(name, 128) };
}

/**
 * Starts the span of an attempt to connect or a listing that begins, beneath whoever causes it, and
 * has its context go along with each request.
 */
function traceOperation(operation: ServerOperation, tracing: Tracing): void {
  if (!tracing.isOn) return;
  const { serverId, startedAt } = operation;
  const parent = causeNow();
  // Who answers is not known yet, and may be of another revision.
  const method = methodOf(operation, undefined);
  const attributes = { [attribute.method]: method, [attribute.server]: serverId };
  const options = { kind: SpanKind.CLIENT, startTime: spanTime(startedAt), attributes };
  const span = tracing.start(method, options, parent);
  if (span === undefined) return;
  const within = tracing.contextOf(span, parent);
  let isOver = false;
  operation.observe({
    meta: () => (isOver ? undefined : tracing.carry(within)),
    onRecord(record) {
      isOver = true;
      quietly(() => span.updateName(methodOf(record, record.peer)));
      quietly(() => span.setAttributes(recordAttributes(record)));
      const failure = record.error === undefined ? undefined : spanFailureOf(record.error);
      endSpan(span, failure, spanTime(record.startedAt + record.durationMs));
    },
  });
}

function methodOf({ operation }: Pick<ServerRecord, "operation">, peer: ServerPeer | undefined): string {
  if (operation === "list") return "tools/list";
  return peer === undefined ? "initialize" : methodOfConnecting(peer);
}

function recordAttributes(record: ServerRecord): Attributes {
  const { serverId, peer, toolCount } = record;
  return {
    [attribute.method]: methodOf(record, peer),
    [attribute.server]: serverId,
    ...peerAttributes(peer),
    [attribute.session]: peer.session,
    [attribute.toolCount]: toolCount,
  };
}
