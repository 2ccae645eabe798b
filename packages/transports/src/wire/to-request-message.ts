import type { JsonObject, Random } from "@hostside/core";
import { isPlainObject } from "@hostside/core/implement";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { UsedConnection } from "../message/session-words.ts";
import type { Transport } from "../message/transport.ts";

/**
 * A request as it goes over the wire. `envelope` is the `_meta` of every request of a modern
 * connection, and `_meta` of the request itself counts more. Where progress is waited for, or
 * counts as a sign of life, the token of it is the id.
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
  // Most requests are one of these two, and spreads of what is not there cost as much as the rest
  // of the message.
  if (own === undefined && !wantsProgress) return envelope;
  if (own === undefined && envelope === undefined) return { progressToken: id };
  if (envelope === undefined && !wantsProgress) return undefined;
  return { ...envelope, ...(isPlainObject(own) && own), ...(wantsProgress && { progressToken: id }) };
}

/**
 * Over what kind of connection a request went; `undefined` for the handshake: what that meets is
 * its own to judge.
 */
export function usedConnection(
  { transport, envelope }: { readonly transport: Transport; readonly envelope: () => object | undefined },
  { method }: OutgoingRequest,
): UsedConnection | undefined {
  if (method === "initialize" || method === "server/discover") return undefined;
  return {
    era: envelope() === undefined ? "legacy" : "modern",
    hasSession: transport.sessionId !== undefined,
    isHttp: transport.hasPerRequestStream === true,
  };
}

/** How a server is told. */
interface TellCancelledInit {
  readonly transport: Pick<Transport, "hasPerRequestStream" | "send">;
  /** The `_meta` of a modern connection. */
  readonly envelope: () => JsonObject | undefined;
  /** The server may answer something that nobody waits for. */
  readonly onNotified: () => void;
}

/**
 * Tells the server that nobody waits for a request any more, where it has to be told. Settles when
 * it was; never rejects. One that cannot be cancelled it is not told of, and may still answer:
 * without an id, if it could not make sense of the request.
 */
export async function tellCancelled(
  { transport, envelope, onNotified }: TellCancelledInit,
  id: number,
  { request, reason }: { readonly request: OutgoingRequest; readonly reason: string },
): Promise<void> {
  if (request.isCancellable === false) return onNotified();
  const { callContext } = request;
  const meta = envelope();
  // On 2026-07-28 over HTTP, closing the response stream is the cancel; elsewhere the server has to
  // be told.
  if (meta !== undefined && transport.hasPerRequestStream === true) return;
  const params = { requestId: id, reason, ...(meta && { _meta: meta }) };
  onNotified();
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

/** Hands out the ids of requests. */
export interface RequestIds {
  /** The id of the next request. */
  next: number;
  /** True for an id that was handed out. */
  issued(id: number): boolean;
  /**
   * From now on ids go on from anywhere, so that a server cannot answer what it was not asked yet.
   * Before, they count from 0.
   */
  leaveHandshake(): void;
}

// Numbers, because some servers mishandle ids of text; and such as fit into 31 bits.
const mostFirstIds = 2 ** 29;

/** Makes one. Who takes the next id counts it up. */
export function createRequestIds(random: Random): RequestIds {
  let handshakeEnd = Number.POSITIVE_INFINITY;
  let firstLater = 0;
  const ids: RequestIds = {
    next: 0,
    issued: (id) => id >= 0 && id < ids.next && (id < handshakeEnd || id >= firstLater),
    leaveHandshake() {
      if (handshakeEnd !== Number.POSITIVE_INFINITY) return;
      handshakeEnd = ids.next;
      ids.next += Math.floor(random() * mostFirstIds);
      firstLater = ids.next;
    },
  };
  return ids;
}
