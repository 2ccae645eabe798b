import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ServerRecord } from "@toolport/core";
import { methodOfConnecting } from "./metrics/call-metrics.ts";
import { attribute } from "./names.ts";
import { quietly } from "./quietly.ts";
import { failureAttributes, failureOf } from "./spans/failure.ts";
import { peerAttributes, sessionAttributes } from "./spans/peer-attributes.ts";
import { spanTime } from "./times.ts";
import { nowhere } from "./spans/tracing.ts";
import type { TraceParts } from "./trace-calls.ts";

/** Makes a span of an attempt to connect, or of a listing, when it is over. It belongs to no call: many may have waited for it, or none. */
export function traceServerRecord(record: ServerRecord, { tracing, settings }: TraceParts): void {
  const { serverId, operation, startedAt, durationMs, peer, error, toolCount } = record;
  if (operation === "session") return;
  const method = operation === "list" ? "tools/list" : methodOfConnecting(peer);
  const failure = error === undefined ? undefined : failureOf(error);
  const span = tracing.start(
    method,
    {
      kind: SpanKind.CLIENT,
      startTime: spanTime(startedAt),
      attributes: {
        [attribute.method]: method,
        [attribute.server]: serverId,
        ...peerAttributes(peer),
        ...sessionAttributes(peer, settings.captureSessionId),
        ...(toolCount !== undefined && { [attribute.toolCount]: toolCount }),
        ...(failure !== undefined && failureAttributes(failure)),
      },
    },
    nowhere,
  );
  quietly(() => {
    if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR, message: failure.type });
  });
  quietly(() => span?.end(spanTime(startedAt + durationMs)));
}
