import { redactUrl, type JsonObject } from "@hostside/core";
import type { Account } from "../account.ts";
import type { SignedIn } from "../oauth.ts";
import type { StoredAuthorization, StoredClient, Tokens } from "./stored-account.ts";
import { clock } from "@hostside/core/implement";

/** One slash at the end is tolerated, as it is for metadata (RFC 8414, 3.3, as practised). */
export function sameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

/** A sign-in as products see it, without any secret. */
export function toSignedIn(
  { serverId, principal, serverUrl }: Pick<Account, "principal" | "serverId" | "serverUrl">,
  { issuer, client, scope, expiresAt, refreshToken }: StoredAuthorization,
): SignedIn {
  return {
    serverId,
    principal,
    issuer,
    serverUrl: redactUrl(serverUrl.href),
    clientId: client.clientId,
    scopes: (scope ?? "").split(/\s+/).filter((one) => one !== ""),
    expiresAt,
    renews: refreshToken !== undefined || client.way === "program",
  };
}

/**
 * The rest of an access token's life: `fresh`, `due` to be renewed, `ending` before the
 * next request is answered, or `over`.
 */
export type TokenExpiry = "due" | "ending" | "fresh" | "over";

/** Longer than a request takes, shorter than the shortest lives that are usual. */
const longestSkewMs = 60_000;
/** At most this part of a life is skew: else a token of a minute would be renewed all the time. */
const skewPart = 1 / 5;
/** The last part of the skew, in which nobody counts on the token any more. */
const endingPart = 1 / 4;

/**
 * Says how much of an access token's life is left. `now`: milliseconds since 1970. One whose end
 * nobody knows is fresh until it is refused.
 */
export function tokenExpiryOf(
  { expiresAt, obtainedAt }: Pick<StoredAuthorization, "expiresAt" | "obtainedAt">,
  now: number,
): TokenExpiry {
  if (expiresAt === undefined) return "fresh";
  const skewMs = Math.min(longestSkewMs, Math.max(0, expiresAt - obtainedAt) * skewPart);
  const leftMs = expiresAt - now;
  if (leftMs <= 0) return "over";
  if (leftMs <= skewMs * endingPart) return "ending";
  return leftMs <= skewMs ? "due" : "fresh";
}

/** The request that tokens are from. */
export interface TokenOrigin {
  readonly issuer: string;
  readonly metadata: JsonObject & { readonly token_endpoint: string };
  readonly client: StoredClient;
  /**
   * Scopes that were asked for, separated by spaces: an answer that says nothing grants that (RFC
   * 6749, 5.1).
   */
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
  /** The private key as a JWK, when the request had a proof of it. */
  readonly dpopKey?: JsonObject | undefined;
  /** Identifies the sign-in of a user. Default: that of `renewed`. */
  readonly signIn?: string | undefined;
  /** The authorization whose refresh token was redeemed. */
  readonly renewed?: StoredAuthorization | undefined;
}

// What is needed again: to renew and to revoke. The rest of a metadata document is long, and asked
// for anew with each sign-in.
const keptMetadata = [
  "token_endpoint",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "revocation_endpoint",
  "revocation_endpoint_auth_methods_supported",
  "dpop_signing_alg_values_supported",
] as const;

/** Makes the authorization that is kept of an answer. */
export function toStoredAuthorization(tokens: Tokens, origin: TokenOrigin): StoredAuthorization {
  const { issuer, metadata, client, resource, dpopKey, renewed, signIn = renewed?.signIn } = origin;
  // A renewed token without a type is of the same kind as the one before.
  const { accessToken, tokenType = renewed?.tokenType ?? "Bearer", lifeSeconds } = tokens;
  const obtainedAt = clock.date();
  // A token that was asked for without a key is bound to none, whatever its answer says.
  const isBound = dpopKey !== undefined && /^dpop$/i.test(tokenType);
  const kept = keptMetadata.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]]);
  return {
    issuer,
    metadata: { ...Object.fromEntries(kept), issuer, token_endpoint: metadata.token_endpoint },
    client,
    accessToken,
    tokenType: isBound ? "DPoP" : "Bearer",
    obtainedAt,
    signIn,
    // A new refresh token replaces the one that was redeemed. Without a new one, that one is still
    // good (RFC 6749, 6).
    refreshToken: tokens.refreshToken ?? renewed?.refreshToken,
    scope: tokens.scope ?? origin.scope ?? renewed?.scope,
    expiresAt: lifeSeconds === undefined ? undefined : obtainedAt + lifeSeconds * 1000,
    resource,
    // A refresh token can be bound to the key although the access token is not.
    dpopKey,
  };
}
