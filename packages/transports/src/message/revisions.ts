import type { JsonObject } from "@hostside/core";
import { legacyRevisions, modernRevision } from "@hostside/core/implement";

/** The revisions that this host speaks, newest first. */
export const knownRevisions: readonly string[] = [modernRevision, ...legacyRevisions];

/** True for a revision of the stateless era. */
export function isModernVersion(version: string): boolean {
  return version >= modernRevision;
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

/** The identity of the host, and its offers to servers. */
export interface ClientIdentity {
  readonly info: { readonly name: string; readonly version: string };
  /** Elicitation or nothing; never roots, sampling or logging (SEP-2577). */
  readonly capabilities: JsonObject;
  /** Extensions of 2026-07-28, by their names; earlier revisions are told of none. */
  readonly extensions?: JsonObject | undefined;
}
