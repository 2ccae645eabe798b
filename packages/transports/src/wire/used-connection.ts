import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { UsedConnection } from "../message/session-words.ts";
import type { Transport } from "../message/transport.ts";

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
