import type { JsonObject } from "@hostside/core";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { Transport } from "../message/transport.ts";

/** How a server is told. */
export interface TellCancelledInit {
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
