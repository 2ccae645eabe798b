import { redactUrl } from "@hostside/core";
import type { Account } from "../account.ts";
import type { SignedIn } from "../oauth.ts";
import type { StoredAccount, StoredAuthorization } from "../store/stored-account.ts";
import { mostAuthorizations } from "./read-stored-account.ts";

/** The authorization whose tokens are in use. */
export function currentAuthorization(document: StoredAccount | undefined): StoredAuthorization | undefined {
  return document && authorizationOf(document, document.issuer);
}

/** The authorization that an authorization server gave. */
export function authorizationOf(document: StoredAccount | undefined, issuer: string): StoredAuthorization | undefined {
  return document?.authorizations.find((one) => sameIssuer(one.issuer, issuer));
}

/**
 * The same document with this authorization, in place of the one of the same issuer, as the one in
 * use.
 */
export function withAuthorization(
  document: StoredAccount | undefined,
  { serverUrl }: Pick<Account, "serverUrl">,
  authorization: StoredAuthorization,
): StoredAccount {
  const others = (document?.authorizations ?? [])
    .filter(({ issuer }) => !sameIssuer(issuer, authorization.issuer))
    .sort((one, other) => other.obtainedAt - one.obtainedAt)
    .slice(0, mostAuthorizations - 1);
  return {
    ...document,
    version: 1,
    serverUrl: serverUrl.href,
    issuer: authorization.issuer,
    authorizations: [authorization, ...others],
  };
}

/** One slash at the end is tolerated, as it is for metadata (RFC 8414, 3.3, as practised). */
export function sameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}

/** What somebody is signed in to now, without any secret. */
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
    current: true,
  };
}
