import type { AddClientAuthentication } from "@modelcontextprotocol/client";
import type { Clock } from "@hostside/core";
import type { Account } from "../account.ts";
import { listOf } from "../discovering/server-metadata.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { PrivateKey } from "../oauth-options.ts";
import type { StoredClient, StoredMetadata } from "../store/stored-account.ts";
import { assertClient } from "./assert-client.ts";

/** How a client proves at an authorization server who it is. */
export interface ClientProof {
  /** Absent for nobody in particular: then nothing is proved. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: PrivateKey | undefined;
  /**
   * How the secret is sent, if the authorization server offers that. Default: what it offers,
   * `client_secret_basic` first.
   */
  readonly authMethod?: string | undefined;
  /** The same, whatever it offers. */
  readonly configuredMethod?: string | undefined;
}

/** Whom a client proves itself to, and on whose behalf. */
export interface ProofPlace {
  readonly account: Pick<Account, "secrets" | "serverId">;
  readonly clock: Clock;
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  /** Which of the metadata's lists of methods counts. Default: that of the token endpoint. */
  readonly methods?: readonly string[] | undefined;
}

/** The client that a token is kept for, when it was got by nobody in particular (RFC 7523, 3.1). */
export const noClient = "(no client)";

/**
 * How the client of an account proves who it is now: by what is configured, where that is the same
 * client, so that a secret that was replaced needs no new sign-in; else by what was kept.
 */
export function proofOf({ config }: Pick<Account, "config">, client: StoredClient): ClientProof {
  const { clientId, clientSecret, authMethod } = client;
  if (clientId === noClient) return {};
  if (clientId !== config.clientId) return { clientId, clientSecret, authMethod };
  if (config.flow === "client_credentials") {
    return {
      clientId,
      clientSecret: config.clientSecret,
      privateKey: config.privateKey,
      configuredMethod: config.authMethod,
    };
  }
  return { clientId, clientSecret: config.clientSecret ?? clientSecret, authMethod };
}

/**
 * Writes into a request who the client is and the proof of it: a signed assertion (RFC 7523, 2.2),
 * or its secret (RFC 6749, 2.3.1). Not by the SDK's own, which leaves out the form encoding that
 * the header needs: a secret with a `%` or a `+` would be another one, and one beyond Latin-1 could
 * not be sent.
 */
export function authenticateClient(proof: ClientProof, place: ProofPlace): AddClientAuthentication {
  const { clientId, clientSecret, privateKey } = proof;
  if (clientId === undefined) return () => {};
  if (privateKey !== undefined) return assertClient({ clientId, privateKey }, place);
  const { learn } = place.account.secrets;
  if (clientSecret !== undefined) learn(clientSecret);
  return async (headers, params) => {
    const method = proof.configuredMethod ?? (await methodOf(proof, place));
    if (method === "client_secret_basic" && clientSecret !== undefined) {
      const credentials = btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`);
      learn(credentials);
      headers.set("authorization", `Basic ${credentials}`);
      return;
    }
    params.set("client_id", clientId);
    if (method === "client_secret_post" && clientSecret !== undefined) params.set("client_secret", clientSecret);
  };
}

async function methodOf(
  { clientId = "", clientSecret, authMethod }: ClientProof,
  { metadata, methods }: ProofPlace,
): Promise<string> {
  const { selectClientAuthMethod } = await loadOAuth();
  const client = {
    client_id: clientId,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
  const offered = methods ?? listOf(metadata, "token_endpoint_auth_methods_supported") ?? [];
  return selectClientAuthMethod(client, [...offered]);
}

// RFC 6749, appendix B. What need not be encoded is not, for servers that do not decode.
function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}
