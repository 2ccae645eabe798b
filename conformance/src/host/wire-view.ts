import type { JsonObject, JsonValue } from "@toolport/core";
import { isJsonObject } from "@toolport/core/implement";
import type { TraceEntry } from "@toolport/fixtures";
import type { TraceEvent } from "../engine/trace.ts";

/** A JSON-RPC message from the host, as a fault server received it. */
export interface ReceivedMessage {
  /** Absent in responses. */
  readonly method?: string;
  readonly id?: JsonValue;
  readonly params: JsonObject;
  /** The message as it stands. */
  readonly message: JsonObject;
  /** 1 for the first process of the server. */
  readonly process: number;
  /** The HTTP request that it came in. */
  readonly http?: JsonObject;
}

/** What came from the host, message by message. What is no JSON object is left out. */
export function messagesFrom(trace: readonly TraceEntry[]): readonly ReceivedMessage[] {
  return trace.flatMap(({ direction, text, process, http }) => {
    const message = direction === "in" ? parse(text) : undefined;
    if (message === undefined) return [];
    const { method, id, params } = message;
    return [
      {
        message,
        process,
        params: isJsonObject(params) ? params : {},
        ...(typeof method === "string" && { method }),
        ...(id !== undefined && { id }),
        ...(http && { http }),
      },
    ];
  });
}

/** The same for a report; times count from `startedAt`, in milliseconds since the epoch. */
export function toTraceEvents(session: string, trace: readonly TraceEntry[], startedAt: number): readonly TraceEvent[] {
  const kinds = { in: "receive", out: "send", event: "process" } as const;
  return trace.slice(-200).map(({ at, direction, text, process }) => ({
    atMs: at - startedAt,
    kind: kinds[direction],
    session: `${session} #${process}`,
    text: text.slice(0, 1000),
  }));
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not a message: an empty body of a GET, or cut off.
    return undefined;
  }
}
