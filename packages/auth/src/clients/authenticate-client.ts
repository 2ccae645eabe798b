import type { AddClientAuthentication } from "@modelcontextprotocol/client";
import { HostsideError, type Clock } from "@hostside/core";
import type { Account } from "../account.ts";
import { listOf } from "../discovering/server-metadata.ts";
import { loadOAuth } from "../load-oauth.ts";
import type { PrivateKey } from "../oauth-options.ts";
import type { StoredClient, StoredMetadata } from "../accounts/stored-account.ts";
import { dateOf } from "@hostside/core/implement";
import type { CryptoKey } from "jose";
import { nameServer } from "../auth-errors.ts";

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
    const method = await methodOf(proof, place);
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

const lifeSeconds = 120;

/** To whom, and on whose behalf. */
export interface AssertionPlace {
  readonly account: Pick<Account, "secrets" | "serverId">;
  readonly clock: Clock;
  readonly issuer: string;
}

/** Who asserts to be that client, by which key. */
export interface ClientAssertion {
  readonly clientId: string;
  readonly privateKey: PrivateKey;
}

/**
 * Proves who a client is by a signed assertion (RFC 7523, 2.2) for the authorization server's
 * issuer: a new one for each request. Not by the SDK's own, which names no key (`kid`), without
 * which a server with several keys of one client cannot check it. Rejects with `invalid_spec` when
 * the key cannot be read.
 */
function assertClient({ clientId, privateKey }: ClientAssertion, place: AssertionPlace): AddClientAuthentication {
  const { account, clock, issuer } = place;
  return async (_headers, params) => {
    const { SignJWT } = await import("jose");
    const { algorithm, keyId = keyIdOf(privateKey) } = privateKey;
    const key = await readKey(privateKey, account);
    const now = Math.floor(dateOf(clock) / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setJti(crypto.randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + lifeSeconds)
      .sign(key);
    account.secrets.learn(assertion);
    params.set("client_id", clientId);
    params.set("client_assertion", assertion);
    params.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  };
}

async function readKey(
  { key, algorithm }: PrivateKey,
  { serverId }: AssertionPlace["account"],
): Promise<CryptoKey | Uint8Array> {
  const { importJWK, importPKCS8 } = await import("jose");
  try {
    return await (typeof key === "string" ? importPKCS8(key, algorithm) : importJWK(key, algorithm));
  } catch {
    // The reason may quote the key.
    throw new HostsideError(
      `${nameServer(serverId)}: the private key of its client cannot be read as a key for ${algorithm}`,
      { code: "invalid_spec", serverId },
    );
  }
}

function keyIdOf({ key }: PrivateKey): string | undefined {
  return typeof key !== "string" && typeof key["kid"] === "string" ? key["kid"] : undefined;
}
