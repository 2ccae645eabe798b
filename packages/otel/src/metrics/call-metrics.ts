import type { Attributes } from "@opentelemetry/api";
import type { CallDecision, CallRecord, ServerPeer, ServerRecord, ToolCall } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import { attribute, otherValue } from "../names.ts";
import { failureAttributes, spanFailureOf, toolFailure, type SpanFailure } from "../spans/failure.ts";
import { peerAttributes } from "../spans/peer-attributes.ts";
import type { BoundedValues } from "./bounded-values.ts";
import type { Metrics } from "./metrics.ts";

/** The instruments of a client. */
export const clientTable = {
  "mcp.client.operation.duration": { kind: "seconds", description: "From the sending of an MCP request to its answer" },
  "mcp.client.session.duration": { kind: "seconds", description: "From the opening of an MCP session to its end" },
  // Where the conventions say nothing.
  "hostside.call.duration": {
    kind: "seconds",
    description: "From a call to its outcome, with all that a host does about it",
  },
  "hostside.call.wait": {
    kind: "seconds",
    description: "How long a call waited before it was sent, by what it waited for",
  },
  "hostside.call.resends": {
    kind: "count",
    description: "Times that a call was sent again",
    unit: "{send}",
  },
  "hostside.io": { kind: "count", description: "Messages of calls, as JSON in UTF-8", unit: "By" },
  "hostside.decisions": {
    kind: "count",
    description: "What a policy decided about calls",
    unit: "{decision}",
  },
  "hostside.sessions": { kind: "level", description: "Sessions that are open", unit: "{session}" },
  "hostside.circuit.state": { kind: "gauge", description: "0 closed, 1 half open, 2 open" },
  "hostside.resource.cache.reads": {
    kind: "count",
    description: "Reads of resources with a cache",
    unit: "{read}",
  },
  "hostside.resource.refused_uris": {
    kind: "count",
    description: "URIs that were refused before anything was sent",
    unit: "{uri}",
  },
  // Of the option `toolMetrics`.
  tool_invocations_total: { isExtra: true, kind: "count", description: "Calls of tools" },
  tool_errors_total: { isExtra: true, kind: "count", description: "Calls of tools that failed" },
  tool_retries_total: { isExtra: true, kind: "count", description: "Times that calls of tools were tried again" },
  tool_latency_seconds: { isExtra: true, kind: "seconds", description: "From a call of a tool to its outcome" },
  circuit_state: { isExtra: true, kind: "gauge", description: "0 closed, 1 half open, 2 open" },
} as const;

/** Everything that metrics are written with. */
export interface MetricParts {
  readonly metrics: Metrics<keyof typeof clientTable>;
  readonly bounded: BoundedValues;
  /** Says whether the extra instruments are written. */
  readonly toolMetrics: boolean;
}

/** A request to a server that is over. */
export interface MeasuredRequest {
  readonly serverId: string;
  readonly method: string;
  readonly durationMs: number;
  readonly failure: SpanFailure | undefined;
  readonly peer: Partial<ServerPeer> | undefined;
  /** Such as the name of the tool. It is a server's text, and so bounded. */
  readonly subject?: Attributes | undefined;
}

/** Writes the duration of one request by the conventions. */
export function measureRequest(request: MeasuredRequest, parts: MetricParts): void {
  if (!parts.metrics.isOn()) return;
  const { serverId, method, durationMs, failure, peer, subject } = request;
  parts.metrics.write("mcp.client.operation.duration", durationMs / 1000, {
    ...boundedAll({ [attribute.method]: method, ...subject, ...failureAttributes(failure) }, serverId, parts),
    [attribute.server]: boundedServerId(serverId, parts),
    ...boundedPeer(peer, serverId, parts),
  });
}

/** Writes what a record says of a call at its server. */
export function measureRecord(record: CallRecord, parts: MetricParts): void {
  const { metrics } = parts;
  if (!metrics.isOn()) return;
  const { origin, attempts, result, connectMs, listMs, turnMs } = record;
  const { serverId, toolName } = origin;
  for (const [index, { durationMs, peer, error }] of attempts.entries()) {
    const isToolError = index === attempts.length - 1 && result === "tool-error";
    const failure = error === undefined ? (isToolError ? toolFailure : undefined) : spanFailureOf(error);
    const subject = { [attribute.operation]: "execute_tool", [attribute.tool]: toolName };
    measureRequest({ serverId, method: "tools/call", durationMs, peer, failure, subject }, parts);
  }
  const again = attempts.length - 1;
  if (again > 0) countRetries(again, origin, parts);
  const server = { [attribute.server]: boundedServerId(serverId, parts) };
  for (const [phase, ms] of Object.entries({ connect: connectMs, list: listMs, turn: turnMs })) {
    if (ms > 0) metrics.write("hostside.call.wait", ms / 1000, { ...server, [attribute.phase]: phase });
  }
  if (again > 0) metrics.write("hostside.call.resends", again, { ...server });
  for (const { sentBytes = 0, receivedBytes = 0 } of attempts) {
    for (const [direction, bytes] of Object.entries({ transmit: sentBytes, receive: receivedBytes })) {
      if (bytes > 0) metrics.write("hostside.io", bytes, { ...server, [attribute.direction]: direction });
    }
  }
}

/** Writes that a call is over, with all that the host did about it. */
export function measureCall(
  { origin }: ToolCall,
  { durationMs, failure }: { readonly durationMs: number; readonly failure: SpanFailure | undefined },
  parts: MetricParts,
): void {
  const { metrics } = parts;
  const { serverId, toolName } = origin;
  if (!metrics.isOn()) return;
  metrics.write("hostside.call.duration", durationMs / 1000, {
    ...boundedAll({ [attribute.tool]: toolName, ...failureAttributes(failure) }, serverId, parts),
    [attribute.server]: boundedServerId(serverId, parts),
  });
  if (!parts.toolMetrics) return;
  const attributes = toolAttributes(origin, parts);
  metrics.write("tool_invocations_total", 1, attributes);
  metrics.write("tool_latency_seconds", durationMs / 1000, attributes);
  if (failure === undefined) return;
  const error = parts.bounded.of(attribute.errorType, serverId, failure.type);
  metrics.write("tool_errors_total", 1, { ...attributes, error });
}

/** Counts what a policy decided. */
export function measureDecision(
  { origin }: ToolCall,
  { type, stage, decision }: CallDecision,
  parts: MetricParts,
): void {
  const { metrics } = parts;
  if (!metrics.isOn()) return;
  const said = decision === undefined ? type : `${type}: ${decision}`;
  metrics.write("hostside.decisions", 1, {
    ...boundedAll({ [attribute.decision]: said, [attribute.stage]: stage }, "", parts),
    [attribute.server]: boundedServerId(origin.serverId, parts),
  });
  if (stage === "retry") countRetries(1, origin, parts);
}

function countRetries(count: number, origin: ToolCall["origin"], parts: MetricParts): void {
  if (parts.toolMetrics) parts.metrics.write("tool_retries_total", count, toolAttributes(origin, parts));
}

/** Writes what was done with a server. */
export function measureServer(record: ServerRecord, parts: MetricParts): void {
  const { serverId, operation, durationMs, peer, error } = record;
  const failure = error === undefined ? undefined : spanFailureOf(error);
  if (operation !== "session") {
    const method = operation === "list" ? "tools/list" : methodOfConnecting(peer);
    return measureRequest({ serverId, method, durationMs, failure, peer }, parts);
  }
  parts.metrics.write("mcp.client.session.duration", durationMs / 1000, {
    [attribute.server]: boundedServerId(serverId, parts),
    ...boundedPeer(peer, serverId, parts),
    ...boundedAll(failureAttributes(isOrderly(error?.code) ? undefined : failure), serverId, parts),
  });
}

/** The first request of a connection. */
export function methodOfConnecting({ era }: ServerPeer): string {
  return era === "modern" ? "server/discover" : "initialize";
}

/** Says whether a session ended because the host wanted it to. */
export function isOrderly(code: string | undefined): boolean {
  return code === undefined || code === "closed" || code === "server_removed";
}

/** The id of a server, bounded. */
export function boundedServerId(serverId: string, { bounded }: MetricParts): string {
  return bounded.of(attribute.server, "", serverId);
}

function toolAttributes(
  { serverId, toolName }: ToolCall["origin"],
  parts: MetricParts,
): { readonly server: string; readonly tool: string } {
  return { server: boundedServerId(serverId, parts), tool: parts.bounded.of(attribute.tool, serverId, toolName) };
}

// Codes of JSON-RPC errors, revisions and names are a server's own.
function boundedAll(attributes: Attributes, serverId: string, { bounded }: MetricParts): Attributes {
  const result: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) result[name] = bounded.of(name, serverId, String(value));
  }
  return result;
}

// There may be as many addresses as servers.
function boundedPeer(peer: Partial<ServerPeer> | undefined, serverId: string, parts: MetricParts): Attributes {
  const { [attribute.protocolVersion]: version, ...network } = peerAttributes(peer);
  const { [attribute.address]: address, [attribute.port]: port } = network;
  const place = `${String(address)}:${String(port)}`;
  const isElsewhere = address !== undefined && parts.bounded.of(attribute.address, serverId, place) === otherValue;
  return {
    ...network,
    ...boundedAll({ [attribute.protocolVersion]: version }, serverId, parts),
    ...(isElsewhere && { [attribute.address]: otherValue, [attribute.port]: undefined }),
  };
}

/** The sessions of one provider. */
export interface SessionWatch {
  note(record: ServerRecord): void;
  /** How a server is spoken with now. */
  peersOf(serverId: string): readonly ServerPeer[];
  /** The provider was closed, and says nothing of the sessions that ended with it. */
  closed(): void;
}

interface OpenSession {
  readonly serverId: string;
  readonly peer: ServerPeer;
  readonly openedAt: number;
  /**
   * Says whether it was added: an SDK may be registered later, and what was not added is not taken
   * away.
   */
  isCounted: boolean;
}

/** Counts sessions that are open, and how long they were. */
export function watchSessions(init: MetricParts): SessionWatch {
  const { metrics } = init;
  const open = new Map<string, OpenSession>();
  const add = (count: 1 | -1, serverId: string): void => {
    metrics.write("hostside.sessions", count, { [attribute.server]: boundedServerId(serverId, init) });
  };
  return {
    note(record) {
      measureServer(record, init);
      const { serverId, operation, peer, error } = record;
      const key = JSON.stringify([serverId, peer.session]);
      if (operation === "connect" && error === undefined) {
        open.set(key, { serverId, peer, openedAt: clock.now(), isCounted: false });
      }
      for (const session of metrics.isOn() ? open.values() : []) {
        if (!session.isCounted) add(1, session.serverId);
        session.isCounted = true;
      }
      const ended = operation === "session" ? open.get(key) : undefined;
      if (ended === undefined) return;
      open.delete(key);
      if (ended.isCounted) add(-1, serverId);
    },
    peersOf: (serverId) => Array.from(open.values()).flatMap((one) => (one.serverId === serverId ? [one.peer] : [])),
    closed() {
      for (const session of open.values()) {
        const { serverId, peer, openedAt, isCounted } = session;
        const durationMs = clock.now() - openedAt;
        measureServer({ serverId, operation: "session", startedAt: 0, durationMs, peer }, init);
        if (isCounted) add(-1, serverId);
      }
      open.clear();
    },
  };
}
