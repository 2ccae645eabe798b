import type { AddClientAuthentication } from "@modelcontextprotocol/client";
import type { StoredMetadata } from "../store/stored-account.ts";

/** How a client proves at a token endpoint who it is. */
export interface ClientProof {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Asked for by the configuration. Default: what the authorization server offers, `client_secret_basic` first. */
  readonly authMethod?: "client_secret_basic" | "client_secret_post" | undefined;
}

/**
 * Writes a client's id and secret into a request to a token endpoint (RFC 6749, 2.3.1). Not by the SDK's own, which leaves out the form encoding that
 * the header needs: a secret with a `%` or a `+` would be another one, and one beyond Latin-1 could not be sent.
 */
export function authenticateClient(
  { clientId, clientSecret, authMethod }: ClientProof,
  metadata: StoredMetadata,
): AddClientAuthentication {
  return (headers, params) => {
    if (clientId === undefined) return;
    if (clientSecret === undefined) return params.set("client_id", clientId);
    const method = authMethod ?? offeredMethod(metadata);
    if (method === "client_secret_post") {
      params.set("client_id", clientId);
      params.set("client_secret", clientSecret);
    } else {
      headers.set("authorization", `Basic ${btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}`);
    }
  };
}

// An absent list means `client_secret_basic` (RFC 8414, 2).
function offeredMethod({ token_endpoint_auth_methods_supported: supported }: StoredMetadata): string {
  const isPostOnly =
    Array.isArray(supported) && supported.includes("client_secret_post") && !supported.includes("client_secret_basic");
  return isPostOnly ? "client_secret_post" : "client_secret_basic";
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
