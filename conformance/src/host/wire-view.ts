import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { parseObject } from "../engine/parse-json.ts";
import type { TraceEntry } from "@hostside/fixtures";
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
    const message = direction === "in" ? parseObject(text) : undefined;
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
  return trace.slice(-200).map(({ at, direction, text, process, http }) => ({
    atMs: at - startedAt,
    kind: kinds[direction],
    session: `${session} #${process}`,
    text: `${describeHttp(http)}${text}`.trimEnd().slice(0, 1000),
  }));
}

/** An answer of a server's authorization that refuses a request. */
export interface Refusal {
  readonly path: string;
  readonly status: number;
  readonly error: string;
  /** The rule that was broken. */
  readonly why: string;
}

/**
 * What the authorization of a server refused since it last let something in at the same path;
 * oldest first.
 */
export function refusalsIn(trace: readonly TraceEntry[]): readonly Refusal[] {
  const open = new Map<string, readonly Refusal[]>();
  for (const { direction, text, http } of trace) {
    if (direction !== "out") continue;
    // What is not of an authorization is the answer of the server behind it, which was let in.
    const { path = "/mcp", status = 200 } = http ?? {};
    if (typeof path !== "string" || typeof status !== "number") continue;
    const { error, error_description: why } = status < 400 ? {} : (parseObject(text) ?? {});
    if (typeof error !== "string" || typeof why !== "string") open.delete(path);
    else open.set(path, [...(open.get(path) ?? []), { path, status, error, why }]);
  }
  return [...open.values()].flat();
}

/** Method, path and, of an answer, status. */
function describeHttp(http: JsonObject | undefined): string {
  const parts = [http?.["method"], http?.["path"], http?.["status"]].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : `${parts.map(String).join(" ")} `;
}
