import { SpanKind, type Attributes } from "@opentelemetry/api";
import type { ServerOperation, ServerPeer, ServerRecord } from "@hostside/core";
import { methodOfConnecting } from "./metrics/call-metrics.ts";
import { attribute } from "./names.ts";
import { quietly } from "./quietly.ts";
import { endSpan, spanFailureOf } from "./spans/failure.ts";
import { peerAttributes } from "./spans/peer-attributes.ts";
import { causeNow, spanTime, type Tracing } from "./spans/tracing.ts";

/**
 * Starts the span of an attempt to connect or a listing that begins, beneath whoever causes it, and
 * has its context go along with each request.
 */
export function traceOperation(operation: ServerOperation, tracing: Tracing): void {
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
      quietly(() => span.setAttributes(attributesOf(record)));
      const failure = record.error === undefined ? undefined : spanFailureOf(record.error);
      endSpan(span, failure, spanTime(record.startedAt + record.durationMs));
    },
  });
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
