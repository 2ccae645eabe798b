import { clock } from "@hostside/core/implement";
import type { CryptoKey } from "jose";
import type { Account } from "../account.ts";
import type { StoredClient, StoredMetadata } from "../accounts/stored-account.ts";
import { serverError } from "../auth-errors.ts";
import { listOf } from "../discovering/read-metadata.ts";
import type { PrivateKey } from "../oauth-options.ts";

/** Writes into a request who the client is, and the proof of it. */
export type ClientAuthentication = (headers: Headers, params: URLSearchParams) => Promise<void> | void;

/** The authorization server that a client proves itself to. */
export interface ProofPlace {
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  /** Methods that the endpoint takes. Default: those of the token endpoint. */
  readonly methods?: readonly string[] | undefined;
}

/** The client of a token that was got without one (RFC 7523, 3.1). */
export const noClient = "(no client)";

/**
 * Authenticates the client of an account: by a signed assertion (RFC 7523, 2.2), or by its secret
 * (RFC 6749, 2.3.1). A configured secret of the same client goes before a kept one, so that a
 * secret that was replaced needs no new sign-in.
 */
export function authenticateClient(
  account: Pick<Account, "config" | "secrets" | "serverId">,
  client: StoredClient,
  place: ProofPlace,
): ClientAuthentication {
  const { config, secrets } = account;
  const { clientId } = client;
  if (clientId === noClient) return () => {};
  const isConfigured = clientId === config.clientId;
  if (isConfigured && config.flow === "client_credentials" && config.privateKey !== undefined) {
    return assertClient(account, { clientId, privateKey: config.privateKey }, place);
  }
  const secret = (isConfigured ? config.clientSecret : undefined) ?? client.clientSecret;
  if (secret !== undefined) secrets.learn(secret);
  const method = chooseMethod(client.authMethod, secret !== undefined, place);
  return (headers, params) => {
    if (method === "client_secret_basic" && secret !== undefined) {
      const credentials = btoa(`${formEncode(clientId)}:${formEncode(secret)}`);
      secrets.learn(credentials);
      headers.set("authorization", `Basic ${credentials}`);
      return;
    }
    params.set("client_id", clientId);
    if (method === "client_secret_post" && secret !== undefined) params.set("client_secret", secret);
  };
}

const methods = ["client_secret_basic", "client_secret_post", "none"];

function chooseMethod(registered: string | undefined, hasSecret: boolean, place: ProofPlace): string {
  const offered = place.methods ?? listOf(place.metadata, "token_endpoint_auth_methods_supported") ?? [];
  const takes = (method: string): boolean => offered.length === 0 || offered.includes(method);
  if (registered !== undefined && methods.includes(registered) && takes(registered)) return registered;
  const fitting = hasSecret ? methods : ["none"];
  return fitting.find(takes) ?? (hasSecret ? "client_secret_post" : "none");
}

// RFC 6749, appendix B. What need not be encoded is not, for servers that do not decode.
function formEncode(text: string): string {
  return encodeURIComponent(text).replaceAll("%20", "+");
}

const lifeSeconds = 120;

// A new assertion for each request.
function assertClient(
  { secrets, serverId }: Pick<Account, "secrets" | "serverId">,
  { clientId, privateKey }: { readonly clientId: string; readonly privateKey: PrivateKey },
  { issuer }: ProofPlace,
): ClientAuthentication {
  return async (_headers, params) => {
    const { SignJWT } = await import("jose");
    const { key, algorithm, keyId } = privateKey;
    const kid = keyId ?? (typeof key === "string" ? undefined : key["kid"]);
    const signingKey = await readKey(privateKey, serverId);
    const now = Math.floor(clock.date() / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(typeof kid === "string" && { kid }) })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(issuer)
      .setJti(crypto.randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + lifeSeconds)
      .sign(signingKey);
    secrets.learn(assertion);
    params.set("client_id", clientId);
    params.set("client_assertion", assertion);
    params.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  };
}

async function readKey({ key, algorithm }: PrivateKey, serverId: string): Promise<CryptoKey | Uint8Array> {
  const { importJWK, importPKCS8 } = await import("jose");
  try {
    return await (typeof key === "string" ? importPKCS8(key, algorithm) : importJWK(key, algorithm));
  } catch {
    // The reason may quote the key.
    const text = `the private key of its client cannot be read as a key for ${algorithm}: it must be PKCS #8 in PEM (\`openssl pkcs8 -topk8 -nocrypt\` converts others), or a JWK`;
    throw serverError({ serverId }, text, { code: "invalid_spec" });
  }
}
