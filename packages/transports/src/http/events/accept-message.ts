import type { JsonObject, Random, ServerLimits } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { createSeldomReport } from "../../context/report-seldom.ts";
import type { ServerContext } from "../../context/server-context.ts";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import type { RequestId } from "../../message/transport.ts";

/** Where messages go. */
export interface ReceivedMessageSink {
  /** `relatedId` is the request on whose stream it came. */
  deliver(message: JsonObject, relatedId?: RequestId, bytes?: number): void;
  /**
   * Something is odd: `what` it is, and what became of it if it was not skipped, in a few words of
   * ours.
   */
  onAnomaly(what: string, fate?: string): void;
}

/** Where JSON goes, and how large it was, where that is known. */
export interface Acceptance {
  readonly sink: ReceivedMessageSink;
  readonly bytes?: number | undefined;
}

/**
 * Passes on the JSON that came with the answer to request `id`, and returns whether the answer was
 * among it. On HTTP each answer comes with its own request: one to any other is noise. One whose id
 * came back as text, or an error without an id, from a server that could not read it, can only be
 * meant for this request, and gets its id.
 */
export function acceptAnswer(json: unknown, id: RequestId, { sink, bytes }: Acceptance): boolean {
  // Batches exist in 2025-03-26 alone, and only there may a server send one.
  if (Array.isArray(json)) return json.filter((item) => acceptOne(item, id, { sink })).length > 0;
  return acceptOne(json, id, { sink, bytes });
}

/**
 * Passes on the JSON that came on a stream for no request in particular. Answers do not belong
 * there.
 */
export function acceptUnsolicited(json: unknown, sink: ReceivedMessageSink): void {
  for (const item of Array.isArray(json) ? json : [json]) acceptOne(item, undefined, { sink });
}

/**
 * Passes on the JSON that came on a stream for everything; whoever gets it knows what was asked.
 */
export function acceptAny(json: unknown, { sink, bytes }: Acceptance): void {
  for (const item of Array.isArray(json) ? json : [json]) {
    if (isJsonObject(item)) sink.deliver(item, undefined, bytes);
    else sink.onAnomaly("JSON that is no message");
  }
}

function acceptOne(value: unknown, id: RequestId | undefined, { sink, bytes }: Acceptance): boolean {
  if (!isJsonObject(value)) {
    sink.onAnomaly("JSON that is no message");
    return false;
  }
  if ("method" in value) {
    sink.deliver(value, id);
    return false;
  }
  if (id === undefined || !answers(value, id)) {
    sink.onAnomaly("an answer to another request");
    return false;
  }
  sink.deliver(value["id"] === id ? value : { ...value, id }, undefined, bytes);
  return true;
}

function answers(message: JsonObject, id: RequestId): boolean {
  const given = message["id"];
  return isSameId(given, id) || ((given === null || given === undefined) && "error" in message);
}

/**
 * Whether an id is that of a request of ours, or what some servers make of it: the same as text.
 */
export function isSameId(given: unknown, id: RequestId): boolean {
  return given === id || given === String(id);
}

/** Takes what is odd in a message, and what became of it, in a few words of ours. */
type AnomalyReport = (what: string, fate?: string) => void;

/** Reports odd messages ever more seldom, each as a `protocol-anomaly` diagnostic. */
export function createAnomalyReport(context: Pick<ServerContext, "onDiagnostic" | "serverId">): AnomalyReport {
  const report = createSeldomReport(context, { kind: "protocol-anomaly", noun: "messages" });
  return (what, fate = "it was skipped") => report((soFar) => `sent ${what}; ${fate}${soFar}`);
}

/** What whoever reads messages from a server goes by. */
export interface ReadingContext {
  readonly endpoint: HttpEndpoint;
  readonly sink: ReceivedMessageSink;
  /** How large one message of the server may be. */
  readonly limits: Pick<ServerLimits, "maxMessageBytes" | "maxMessageValues">;
  /** Spreads reconnections. */
  readonly random: Random;
}
