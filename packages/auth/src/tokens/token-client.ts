import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { Account } from "../account.ts";
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
