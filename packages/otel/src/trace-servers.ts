import { SpanKind, type Attributes, type Span } from "@opentelemetry/api";
import type { ServerOperation, ServerPeer, ServerRecord } from "@hostside/core";
import { methodOfConnecting } from "./metrics/call-metrics.ts";
import { attribute } from "./names.ts";
import { quietly } from "./quietly.ts";
import { endSpan, spanFailureOf } from "./spans/failure.ts";
import { peerAttributes } from "./spans/peer-attributes.ts";
import { causeNow, nowhere, spanTime, type Tracing } from "./spans/tracing.ts";

/**
 * The spans of what a provider does with its servers by itself: attempts to connect, and listings.
 */
export interface ServerSpans {
  /**
   * Starts the span of something that begins, beneath whoever causes it, and has its context go
   * along with each request.
   */
  begin(operation: ServerOperation): void;
  /**
   * Makes the span of something that is over, unless {@linkcode begin} has. That belongs to nobody.
   */
  note(record: ServerRecord): void;
}

/** Makes those of one provider. */
export function createServerSpans(tracing: Tracing): ServerSpans {
  const traced = new WeakSet<ServerRecord>();
  return {
    begin(operation) {
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
          traced.add(record);
          quietly(() => span.updateName(methodOf(record, record.peer)));
          quietly(() => span.setAttributes(attributesOf(record)));
          finish(span, record);
        },
      });
    },
    note(record) {
      if (record.operation === "session" || traced.has(record)) return;
      const attributes = attributesOf(record);
      const options = { kind: SpanKind.CLIENT, startTime: spanTime(record.startedAt), attributes };
      const span = tracing.start(methodOf(record, record.peer), options, nowhere);
      if (span !== undefined) finish(span, record);
    },
  };
}

function methodOf({ operation }: Pick<ServerRecord, "operation">, peer: ServerPeer | undefined): string {
  if (operation === "list") return "tools/list";
  return peer === undefined ? "initialize" : methodOfConnecting(peer);
}

function attributesOf(record: ServerRecord): Attributes {
  const { serverId, peer, toolCount } = record;
  return {
    [attribute.method]: methodOf(record, peer),
    [attribute.server]: serverId,
    ...peerAttributes(peer),
    [attribute.session]: peer.session,
    [attribute.toolCount]: toolCount,
  };
}

function finish(span: Span, { error, startedAt, durationMs }: ServerRecord): void {
  endSpan(span, error === undefined ? undefined : spanFailureOf(error), spanTime(startedAt + durationMs));
}
