import type { AddClientAuthentication, AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { Account } from "../account.ts";
import { authenticateClient } from "../grants/client-authentication.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { StoredClient, StoredMetadata } from "../store/stored-account.ts";

/** The client that tokens were given to, with the secret that is configured now: a secret that was replaced needs no new sign-in. */
export function clientNow({ config }: Account, client: StoredClient): StoredClient {
  const { clientId, clientSecret } = config;
  return client.clientId === clientId && clientSecret !== undefined ? { ...client, clientSecret } : client;
}

/** A client as the SDK's functions take it. */
export function toClientInformation({ clientId, clientSecret, authMethod }: StoredClient): {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
} {
  return {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}

/**
 * Writes into a request who the client is, by the method that the SDK would choose among those `offered`. Not by the SDK itself, which leaves out the form
 * encoding that a header needs (RFC 6749, 2.3.1): a secret with a `%` or a `+` would be another one, and one beyond Latin-1 could not be sent.
 */
export async function authenticationOf(
  client: StoredClient,
  metadata: StoredMetadata,
  offered: string[] = textsOf(metadata["token_endpoint_auth_methods_supported"]),
): Promise<AddClientAuthentication> {
  const { selectClientAuthMethod } = await loadOAuth();
  const { clientId, clientSecret } = client;
  const method = selectClientAuthMethod(toClientInformation(client), offered);
  if (method === "none") return (_headers, parameters) => parameters.set("client_id", clientId);
  return authenticateClient({ clientId, clientSecret, authMethod: method }, metadata);
}

/** Stored metadata as the SDK's functions take it. */
export function toSdkMetadata({
  issuer,
  token_endpoint: endpoint,
  ...rest
}: StoredMetadata): AuthorizationServerMetadata {
  return {
    issuer,
    token_endpoint: endpoint,
    // Not needed for tokens, and asked for by the type.
    authorization_endpoint: endpoint,
    response_types_supported: [],
    token_endpoint_auth_methods_supported: textsOf(rest["token_endpoint_auth_methods_supported"]),
  };
}

/** The texts of a list; none when it is no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}
