import type { Attributes } from "@opentelemetry/api";
import { truncateText, type ServerPeer } from "@hostside/core";
import { attribute } from "../names.ts";

/** How a server was spoken with, as attributes. */
export function peerAttributes(peer: ServerPeer | undefined): Attributes {
  if (peer === undefined) return {};
  const { transport, protocolVersion, address, port } = peer;
  const network = networkTransport(transport);
  return {
    ...(protocolVersion !== undefined && { [attribute.protocolVersion]: truncateText(protocolVersion, 64) }),
    ...(network !== undefined && { [attribute.transport]: network }),
    ...(address !== undefined && { [attribute.address]: address }),
    ...(port !== undefined && { [attribute.port]: port }),
  };
}

/** The same with the protocol's session id, where that was asked for. */
export function sessionAttributes(peer: ServerPeer | undefined, capturesId: boolean): Attributes {
  if (peer === undefined) return {};
  const { session, sessionId } = peer;
  return {
    [attribute.session]: session,
    ...(capturesId && sessionId !== undefined && { [attribute.sessionId]: truncateText(sessionId, 256) }),
  };
}

function networkTransport(kind: ServerPeer["transport"]): string | undefined {
  if (kind === "stdio") return "pipe";
  return kind === "http" ? "tcp" : undefined;
}
