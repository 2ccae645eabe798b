import type { Attributes } from "@opentelemetry/api";
import type { CallAttempt, CallDecision, CallRecord, ServerPeer, ServerRecord, ToolCall } from "@hostside/core";
import { attribute, otherValue } from "../names.ts";
import { quietly } from "../quietly.ts";
import { spanFailureOf, toolFailure, type SpanFailure } from "../spans/failure.ts";
import { peerAttributes } from "../spans/peer-attributes.ts";
import type { BoundedValues } from "./bounded-values.ts";
import type { Instruments } from "./instruments.ts";

/** What metrics are written with. */
export interface MetricParts {
  readonly find: () => Instruments | undefined;
  readonly bounded: BoundedValues;
}

/** A request to a server that is over. */
export interface MeasuredRequest {
  readonly serverId: string;
  readonly method: string;
  readonly durationMs: number;
  readonly failure: SpanFailure | undefined;
  readonly peer: ServerPeer | undefined;
  /** Such as the name of the tool. Of a server, and so bounded. */
  readonly subject?: Attributes | undefined;
}

/** Writes the duration of one request by the conventions. */
export function measureRequest(request: MeasuredRequest, parts: MetricParts): void {
  quietly(() =>
    parts.find()?.operationDuration.record(request.durationMs / 1000, {
      [attribute.method]: parts.bounded.of(attribute.method, request.serverId, request.method),
      [attribute.server]: boundedServerId(request.serverId, parts),
      ...boundedSubject(request, parts),
      ...boundedPeer(request.peer, request.serverId, parts),
      ...boundedFailure(request.failure, request.serverId, parts),
    }),
  );
}

/** Writes what a record says of a call at its server. */
export function measureRecord(
  { origin, attempts, result, connectMs, listMs, turnMs }: CallRecord,
  parts: MetricParts,
): void {
  const { serverId, toolName } = origin;
  for (const [index, attempt] of attempts.entries()) {
    const isLast = index === attempts.length - 1;
    measureRequest(
      {
        serverId,
        method: "tools/call",
        durationMs: attempt.durationMs,
        peer: attempt.peer,
        failure: failureOfAttempt(attempt, isLast && result === "tool-error"),
        subject: { [attribute.operation]: "execute_tool", [attribute.tool]: toolName },
      },
      parts,
    );
  }
  quietly(() => {
    const { hostside, af } = parts.find() ?? {};
    const again = attempts.length - 1;
    if (again > 0) af?.retries.add(again, afAttributes(serverId, toolName, parts));
    if (hostside === undefined) return;
    const server = { [attribute.server]: boundedServerId(serverId, parts) };
    for (const [phase, ms] of [
      ["connect", connectMs],
      ["list", listMs],
      ["turn", turnMs],
    ] as const) {
      if (ms > 0) hostside.wait.record(ms / 1000, { ...server, [attribute.phase]: phase });
    }
    if (again > 0) hostside.resends.add(again, server);
    for (const { sentBytes = 0, receivedBytes = 0 } of attempts) {
      if (sentBytes > 0) hostside.bytes.add(sentBytes, { ...server, [attribute.direction]: "transmit" });
      if (receivedBytes > 0) hostside.bytes.add(receivedBytes, { ...server, [attribute.direction]: "receive" });
    }
  });
}

/** Writes that a call is over, with all that the host did about it. */
export function measureCall(
  { origin }: ToolCall,
  { durationMs, failure }: { readonly durationMs: number; readonly failure: SpanFailure | undefined },
  parts: MetricParts,
): void {
  const { serverId, toolName } = origin;
  quietly(() => {
    const { hostside, af } = parts.find() ?? {};
    hostside?.callDuration.record(durationMs / 1000, {
      [attribute.server]: boundedServerId(serverId, parts),
      [attribute.tool]: parts.bounded.of(attribute.tool, serverId, toolName),
      ...boundedFailure(failure, serverId, parts),
    });
    if (af === undefined) return;
    const attributes = afAttributes(serverId, toolName, parts);
    af.invocations.add(1, attributes);
    af.latency.record(durationMs / 1000, attributes);
    if (failure !== undefined) {
      af.errors.add(1, { ...attributes, error: parts.bounded.of(attribute.errorType, serverId, failure.type) });
    }
  });
}

/** Counts what a policy decided. */
export function measureDecision(
  { origin }: ToolCall,
  { type, stage, decision }: CallDecision,
  parts: MetricParts,
): void {
  quietly(() => {
    const { hostside, af } = parts.find() ?? {};
    const { serverId, toolName } = origin;
    hostside?.decisions.add(1, {
      [attribute.server]: boundedServerId(serverId, parts),
      [attribute.decision]: parts.bounded.of(
        attribute.decision,
        "",
        decision === undefined ? type : `${type}: ${decision}`,
      ),
      ...(stage !== undefined && { [attribute.stage]: parts.bounded.of(attribute.stage, "", stage) }),
    });
    if (stage === "retry") af?.retries.add(1, afAttributes(serverId, toolName, parts));
  });
}

/** Writes what was done with a server. */
export function measureServer(
  { serverId, operation, durationMs, peer, error }: ServerRecord,
  parts: MetricParts,
): void {
  const failure = error === undefined ? undefined : spanFailureOf(error);
  if (operation !== "session") {
    const method = operation === "list" ? "tools/list" : methodOfConnecting(peer);
    return measureRequest({ serverId, method, durationMs, failure, peer }, parts);
  }
  quietly(() =>
    parts.find()?.sessionDuration.record(durationMs / 1000, {
      [attribute.server]: boundedServerId(serverId, parts),
      ...boundedPeer(peer, serverId, parts),
      ...boundedFailure(isOrderly(error?.code) ? undefined : failure, serverId, parts),
    }),
  );
}

/** What a connection begins with. */
export function methodOfConnecting({ era }: ServerPeer): string {
  return era === "modern" ? "server/discover" : "initialize";
}

/** Whether a session ended because the host wanted it to. */
export function isOrderly(code: string | undefined): boolean {
  return code === undefined || code === "closed" || code === "server_removed";
}

/** The id of a server, bounded. */
export function boundedServerId(serverId: string, { bounded }: MetricParts): string {
  return bounded.of(attribute.server, "", serverId);
}

function failureOfAttempt({ error }: CallAttempt, isToolError: boolean): SpanFailure | undefined {
  if (error !== undefined) return spanFailureOf(error);
  return isToolError ? toolFailure : undefined;
}

function afAttributes(serverId: string, toolName: string, parts: MetricParts): Attributes {
  return { server: boundedServerId(serverId, parts), tool: parts.bounded.of(attribute.tool, serverId, toolName) };
}

function boundedSubject({ subject = {}, serverId }: MeasuredRequest, { bounded }: MetricParts): Attributes {
  const entries = Object.entries(subject).map(([name, value]) => [name, bounded.of(name, serverId, String(value))]);
  return Object.fromEntries(entries) as Attributes;
}

// The revision is a text of the server's, and there may be as many addresses as servers.
function boundedPeer(peer: ServerPeer | undefined, serverId: string, { bounded }: MetricParts): Attributes {
  const attributes = peerAttributes(peer);
  const { [attribute.protocolVersion]: version, [attribute.address]: address, [attribute.port]: port } = attributes;
  const place = `${String(address)}:${String(port)}`;
  const isElsewhere = address !== undefined && bounded.of(attribute.address, serverId, place) === otherValue;
  return {
    ...attributes,
    ...(version !== undefined && {
      [attribute.protocolVersion]: bounded.of(attribute.protocolVersion, serverId, String(version)),
    }),
    ...(isElsewhere && { [attribute.address]: otherValue, [attribute.port]: undefined }),
  };
}

// Codes of JSON-RPC errors are numbers of the server's.
function boundedFailure(failure: SpanFailure | undefined, serverId: string, { bounded }: MetricParts): Attributes {
  if (failure === undefined) return {};
  const { type, rpcCode } = failure;
  return {
    [attribute.errorType]: bounded.of(attribute.errorType, serverId, type),
    ...(rpcCode !== undefined && { [attribute.rpcStatus]: bounded.of(attribute.rpcStatus, serverId, String(rpcCode)) }),
  };
}
