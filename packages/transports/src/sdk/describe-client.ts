import { isJsonObject } from "@hostside/core/implement";
import type { ClaimedServerInfo } from "../message/read-server-info.ts";
import type { ListeningClient } from "../message/listening-client.ts";
import { anyMemberOf } from "../message/member-of.ts";
import type { CustomClient } from "./custom-parts.ts";

/**
 * What a connected SDK client knows of its server. The v1 line does not say which revision it
 * negotiated, except over Streamable HTTP; it is `"unknown"` then, and of the legacy era in any
 * case.
 */
export function describeClient(client: CustomClient): ClaimedServerInfo {
  const version =
    callIfThere(client, "getNegotiatedProtocolVersion") ??
    anyMemberOf(anyMemberOf(client, "transport"), "protocolVersion");
  return {
    era: callIfThere(client, "getProtocolEra") === "modern" ? "modern" : "legacy",
    protocolVersion: typeof version === "string" ? version : "unknown",
    implementation: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
  };
}

/** True for a client whose handshake is done and that was not closed since. */
export function isConnected(client: CustomClient): boolean {
  // An SDK client keeps the capabilities when it is closed, but not the transport.
  return isJsonObject(client.getServerCapabilities()) && (!("transport" in client) || client.transport !== undefined);
}

/** True when requests of this client are exchanges of their own, as over Streamable HTTP. */
export function hasPerRequestStream(client: CustomClient): boolean {
  return anyMemberOf(anyMemberOf(client, "transport"), "hasPerRequestStream") === true;
}

/** True for a client of the SDK line that has change streams. */
export function isListeningClient(client: object): client is ListeningClient {
  return typeof anyMemberOf(client, "listen") === "function";
}

function callIfThere(owner: object, name: string): unknown {
  const method = anyMemberOf(owner, name);
  return typeof method === "function" ? Reflect.apply(method, owner, []) : undefined;
}
