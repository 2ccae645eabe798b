import type { ClientIdentity } from "../client-identity.ts";
import type { JsonObject } from "@toolport/core";

/** The first protocol revision without a handshake. Revisions are ISO dates, so that string order is time order. */
export const firstModernVersion = "2026-07-28";

/** The revisions that this host speaks, newest first; the legacy ones are those of the SDK's client. */
export const knownRevisions: readonly string[] = [
  firstModernVersion,
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** True for a revision of the stateless era. */
export function isModernVersion(version: string): boolean {
  return version >= firstModernVersion;
}

/**
 * The `_meta` members that 2026-07-28 wants on every request and notification; it is what the SDK's client sends with its own.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#request-metadata
 */
export function modernEnvelope(protocolVersion: string, identity: ClientIdentity): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": protocolVersion,
    "io.modelcontextprotocol/clientInfo": { ...identity.info },
    "io.modelcontextprotocol/clientCapabilities": identity.capabilities,
  };
}
