import type { Attributes } from "@opentelemetry/api";
import { truncateText, type ServerPeer } from "@hostside/core";
import { attribute } from "../names.ts";

const networkTransports: Readonly<Record<string, string>> = { stdio: "pipe", http: "tcp" };

/** How a server was spoken with, as attributes. */
export function peerAttributes(peer: Partial<ServerPeer> | undefined): Attributes {
  if (peer === undefined) return {};
  const { transport, protocolVersion, address, port } = peer;
  return {
    [attribute.protocolVersion]: protocolVersion && truncateText(protocolVersion, 64),
    [attribute.transport]: transport && networkTransports[transport],
    [attribute.address]: address,
    [attribute.port]: port,
  };
}
