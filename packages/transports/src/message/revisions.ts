import type { JsonObject } from "@hostside/core";

/**
 * The first protocol revision without a handshake. Revisions are ISO dates, so that string order is
 * time order.
 */
export const firstModernVersion = "2026-07-28";

/** The last revision with a handshake: the one that `initialize` asks for. */
export const lastLegacyVersion = "2025-11-25";

/** The revisions with a handshake that this host speaks, newest first. */
export const legacyRevisions: readonly string[] = [
  lastLegacyVersion,
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
];

/** The revisions that this host speaks, newest first. */
export const knownRevisions: readonly string[] = [firstModernVersion, ...legacyRevisions];

/** True for a revision of the stateless era. */
export function isModernVersion(version: string): boolean {
  return version >= firstModernVersion;
}

/**
 * The `_meta` members that 2026-07-28 wants on every request and notification.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#request-metadata
 */
export function modernEnvelope(protocolVersion: string, identity: ClientIdentity): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": protocolVersion,
    "io.modelcontextprotocol/clientInfo": { ...identity.info },
    "io.modelcontextprotocol/clientCapabilities":
      identity.extensions === undefined
        ? identity.capabilities
        : { ...identity.capabilities, extensions: identity.extensions },
  };
}

/** Who the host says it is, and what it offers to servers. */
export interface ClientIdentity {
  readonly info: { readonly name: string; readonly version: string };
  /** Elicitation or nothing; never roots, sampling or logging (SEP-2577). */
  readonly capabilities: JsonObject;
  /** Extensions of 2026-07-28, by their names; earlier revisions are told of none. */
  readonly extensions?: JsonObject | undefined;
}
