import type { CallContext, JsonObject } from "@hostside/core";
import { isJsonObject, isPlainObject } from "@hostside/core/implement";
import type { RpcError, UsedConnection } from "../message/from-rpc-error.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { Transport } from "../message/transport.ts";

/**
 * A request as it goes over the wire. `envelope` is the `_meta` of every request of a modern
 * connection, and `_meta` of the request itself counts more. If progress is waited for, or counts
 * as a sign of life, the progress token is the id.
 */
export function toRequestMessage(id: number, request: OutgoingRequest, envelope: JsonObject | undefined): JsonObject {
  const { method, params } = request;
  const meta = metaOf(id, request, envelope);
  return { jsonrpc: "2.0", id, method, params: meta === undefined ? params : { ...params, _meta: meta } };
}

function metaOf(
  id: number,
  { params, onProgress, idleMs }: OutgoingRequest,
  envelope: JsonObject | undefined,
): JsonObject | undefined {
  const own = params["_meta"];
  const wantsProgress = onProgress !== undefined || idleMs !== undefined;
  // Most requests are one of these two.
  if (own === undefined && !wantsProgress) return envelope;
  if (own === undefined && envelope === undefined) return { progressToken: id };
  if (envelope === undefined && !wantsProgress) return undefined;
  return { ...envelope, ...(isPlainObject(own) && own), ...(wantsProgress && { progressToken: id }) };
}

/**
 * The content of an answer on the wire, told by hand: a schema library would cost more than the
 * rest of a call.
 */
export type Answer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: RpcError }
  | { readonly kind: "malformed"; readonly reason: string };

/**
 * Reads the `result` and `error` members of an answer. Total: what fits neither JSON-RPC nor MCP is
 * `malformed`, with a reason. An `error: null` beside a result, which some servers send, counts as
 * absent.
 */
export function readAnswer(message: { readonly result?: unknown; readonly error?: unknown }): Answer {
  const { result, error } = message;
  const malformed = (reason: string): Answer => ({ kind: "malformed", reason });
  if (error === undefined || error === null) {
    if (isJsonObject(result)) return { kind: "result", result };
    return malformed(`its result is ${describe(result)}, not an object`);
  }
  if (result !== undefined && result !== null) return malformed("it has both a result and an error");
  if (!isJsonObject(error)) return malformed(`its error is ${describe(error)}, not an object`);
  const { code, message: text, data } = error;
  if (typeof code !== "number") return malformed(`its error code is ${describe(code)}, not a number`);
  if (typeof text !== "string") return malformed(`its error message is ${describe(text)}, not a string`);
  return { kind: "error", error: { code, message: text, ...(data !== undefined && { data }) } };
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  // Not quoted: a text may be a secret that the server echoes.
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A transport, and the `_meta` of a modern connection over it. */
interface Sending {
  readonly transport: Pick<Transport, "hasPerRequestStream" | "send" | "sessionId">;
  readonly envelope: () => JsonObject | undefined;
  /** Called before a message leaves that the server may answer, though it must not. */
  readonly onNotified?: () => void;
}

/**
 * Over what kind of connection a request went; `undefined` for the handshake: what that meets is
 * its own to judge.
 */
export function usedConnection(
  { transport, envelope }: Sending,
  { method }: Pick<OutgoingRequest, "method">,
): UsedConnection | undefined {
  if (method === "initialize" || method === "server/discover") return undefined;
  return {
    era: envelope() === undefined ? "legacy" : "modern",
    hasSession: transport.sessionId !== undefined,
    isHttp: transport.hasPerRequestStream === true,
  };
}

/**
 * Tells the server that nobody waits for a request any more, where it has to be told: on 2026-07-28
 * over HTTP, closing the response stream is the cancel. Settles when it was; never rejects.
 */
export async function tellCancelled(
  { transport, envelope, onNotified }: Sending,
  id: number,
  { reason, callContext }: { readonly reason?: string; readonly callContext?: CallContext | undefined },
): Promise<void> {
  const meta = envelope();
  if (meta !== undefined && transport.hasPerRequestStream === true) return;
  const params = { requestId: id, ...(reason !== undefined && { reason }), ...(meta && { _meta: meta }) };
  onNotified?.();
  try {
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params } as const;
    await transport.send(message, callContext && { callContext });
  } catch {
    // Only a courtesy: the request is settled on this side, whether or not the server hears of it.
  }
}

/**
 * An id of ours as we wrote it: a number, which some servers give back as text. Anything else comes
 * back as it is.
 */
export function toOwnId(id: unknown): unknown {
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}
