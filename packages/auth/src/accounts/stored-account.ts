import { HostsideError, redactUrl, type JsonObject } from "@hostside/core";
import { isJsonObject, clock } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import type { SignedIn } from "../oauth.ts";

/** The host as a client of an authorization server. */
export interface StoredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /**
   * The way in which it proves to be that client (RFC 7591, `token_endpoint_auth_method`). Absent:
   * what the server offers, chosen anew.
   */
  readonly authMethod?: string | undefined;
  /**
   * The way by which the host became that client; `program` for one that signs in as itself, and
   * gets another token without a user.
   */
  readonly way: ClientRegistration | "program";
  /** When a registration ends, in milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
}

/** The ways to become a client, in the order in which they are tried. */
type ClientRegistration = "pre-registered" | "metadata-document" | "dynamic";

/**
 * Metadata of an authorization server (RFC 8414), as far as tokens need it after the sign-in.
 */
export interface StoredMetadata extends JsonObject {
  readonly issuer: string;
  readonly token_endpoint: string;
}

/** Tokens that an authorization server gave. */
export interface Tokens {
  readonly accessToken: string;
  /** `Bearer`, `DPoP` or `N_A` in the server's spelling; absent when the answer has none. */
  readonly tokenType?: string | undefined;
  /** Absent when the server names no time ahead: then its refusal says when the token has ended. */
  readonly lifeSeconds?: number | undefined;
  readonly refreshToken?: string | undefined;
  readonly scope?: string | undefined;
  /** The kind of token that an exchange gave (RFC 8693). */
  readonly issuedTokenType?: string | undefined;
}

/** The tokens of one authorization server. */
export interface StoredAuthorization {
  /** Tokens go to this authorization server and to no other. */
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  readonly client: StoredClient;
  readonly accessToken: string;
  /** `Bearer` or `DPoP`. */
  readonly tokenType: string;
  readonly refreshToken?: string | undefined;
  /** Granted scopes, separated by spaces; absent when the server did not say. */
  readonly scope?: string | undefined;
  /** When the access token ends, in milliseconds since 1970; absent when the server did not say. */
  readonly expiresAt?: number | undefined;
  /** The resource that they are for (RFC 8707). */
  readonly resource?: string | undefined;
  /** When they were got, in milliseconds since 1970. */
  readonly obtainedAt: number;
  /** Identifies the sign-in of a user that they are from; kept by renewals. Absent for programs. */
  readonly signIn?: string | undefined;
  /** The key that they are bound to (RFC 9449), as a private JWK. Without it they are of no use. */
  readonly dpopKey?: JsonObject | undefined;
  /**
   * Somebody has sent the refresh token to the authorization server and not saved an answer so far:
   * who, and since when, in milliseconds since
   * 1970. If they died, nobody knows whether it was redeemed.
   */
  readonly redeeming?: { readonly by: string; readonly since: number } | undefined;
}

/** The document of an account: what lets one principal in at one server. */
interface StoredAccount extends StoredAuthorization {
  readonly version: 1;
  /** The URL that the tokens may be sent to. Another server of the same id does not get them. */
  readonly serverUrl: string;
}

type Check = (value: unknown) => boolean;
// A member that a type gets is missing here until somebody says what it has to be.
export type Checks<T> = { readonly [Member in keyof T]-?: Check };

export const isString: Check = (value) => typeof value === "string";
export const isText: Check = (value) => typeof value === "string" && value.trim() !== "";
export const isDate: Check = (value) => typeof value === "number" && Number.isFinite(value);
export const isUrl: Check = (value) => typeof value === "string" && URL.canParse(value);
export const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isOneOf =
  (...texts: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && texts.includes(value);

/** A text that a header can carry: visible ASCII (RFC 6749, appendix A.12). */
export function isTokenText(value: unknown): value is string {
  return typeof value === "string" && /^[\u0021-\u007E]+$/.test(value);
}

const redeemingChecks: Checks<NonNullable<StoredAuthorization["redeeming"]>> = { by: isText, since: isDate };

const clientChecks: Checks<StoredClient> = {
  clientId: isText,
  clientSecret: isOptional(isText),
  authMethod: isOptional(isText),
  way: isOneOf("pre-registered", "metadata-document", "dynamic", "program"),
  secretExpiresAt: isOptional(isDate),
};

const metadataChecks: Readonly<Record<string, Check>> = {
  issuer: isText,
  token_endpoint: isUrl,
  revocation_endpoint: isOptional(isUrl),
};

/** Checks of the parts that several kinds of documents share. */
export const partChecks: Checks<
  Pick<StoredAuthorization, "metadata" | "client" | "issuer" | "scope" | "resource" | "dpopKey">
> = {
  metadata: (value) => firstWrong(value, metadataChecks) === undefined,
  client: (value) => firstWrong(value, clientChecks) === undefined,
  issuer: isText,
  scope: isOptional(isString),
  resource: isOptional(isText),
  dpopKey: isOptional(isJsonObject),
};

const accountChecks: Checks<StoredAccount> = {
  ...partChecks,
  version: (value) => value === 1,
  serverUrl: isUrl,
  accessToken: isTokenText,
  tokenType: isOneOf("Bearer", "DPoP"),
  refreshToken: isOptional(isTokenText),
  expiresAt: isOptional(isDate),
  obtainedAt: isDate,
  signIn: isOptional(isText),
  redeeming: isOptional((value) => firstWrong(value, redeemingChecks) === undefined),
};

/**
 * The document of an account, or what is wrong with it, in words that hold nothing of it. Members
 * that nobody knows are kept: a later release of the same version may have written them.
 */
export function readStoredAccount(document: JsonObject): StoredAccount | string {
  const { version, tokenType, dpopKey } = document;
  if (typeof version === "number" && version > 1)
    return `it is of version ${version}, and this release knows version 1`;
  const wrong = firstWrong(document, accountChecks);
  if (wrong !== undefined) return `its member ${wrong} is malformed`;
  if (tokenType === "DPoP" && dpopKey === undefined) return "its member dpopKey is missing";
  // Each member was looked at.
  return document as unknown as StoredAccount;
}

function firstWrong(value: unknown, checks: Readonly<Record<string, Check>>): string | undefined {
  if (!isJsonObject(value)) return "";
  return Object.entries(checks).find(([member, check]) => !check(value[member]))?.[0];
}

/** A document of version 1 whose members are right. Throws `store_failed` for any other. */
export function readDocument<T>(
  document: JsonObject,
  checks: Checks<T>,
  { what, advice, serverId }: { readonly what: string; readonly advice: string; readonly serverId?: string },
): T {
  if (document["version"] === 1 && firstWrong(document, checks) === undefined) return document as unknown as T;
  const text = `${what} cannot be used: it is malformed, or a newer release wrote it; ${advice}`;
  throw new HostsideError(text, { code: "store_failed", serverId, details: { operation: "read credentials" } });
}

/** A document without the members that are `undefined`, which JSON does not have. */
export function withoutAbsent(document: object): JsonObject {
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

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
interface TokenOrigin {
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
