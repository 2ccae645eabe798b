import { clock, isConfidentialUrl } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, safeExcerptOf, throwIfAborted } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import { listOf, textOf } from "../discovering/server-metadata.ts";
import { choosesDpop } from "../dpop/choose-dpop.ts";
import { dpopOf } from "../dpop/dpop-signer.ts";
import type { PendingAuthorization } from "../oauth.ts";
import type { StoredClient } from "../accounts/stored-account.ts";
import { pendingMs, savePending } from "./pending-documents.ts";
import { bytesToBase64Url, hashText } from "../store/sealer.ts";
import { joinScopes } from "../discovering/read-challenges.ts";

/** The purpose of an authorization page. */
export interface AuthorizationOpening {
  readonly discovered: Discovered;
  readonly client: StoredClient;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Throws `auth_required` when no user may be sent to this authorization server: when it has no page
 * for users, or does not say that it takes proof keys of the one kind that is worth sending (RFC
 * 7636, S256): the specification has clients refuse then.
 */
export function assertUsableForUsers(account: Account, { issuer, metadata }: Discovered): void {
  const place = safeExcerptOf(account, issuer);
  if (textOf(metadata, "authorization_endpoint") === undefined) {
    throw authRequired(account, `its authorization server ${place} has no page for users (authorization_endpoint)`);
  }
  if (listOf(metadata, "response_types_supported")?.includes("code") === false) {
    throw authRequired(account, `its authorization server ${place} does not offer the authorization code flow`);
  }
  if (listOf(metadata, "code_challenge_methods_supported")?.includes("S256") === true) return;
  throw authRequired(
    account,
    `its authorization server ${place} does not say that it supports PKCE with S256 (code_challenge_methods_supported); without it nobody is sent there`,
  );
}

/**
 * Makes what a user is sent away with, and keeps what their answer is redeemed with. Shows nothing
 * to anybody.
 */
export async function openAuthorization(
  parts: AuthParts,
  account: Account,
  { discovered, client, redirectUri, scope, signal }: AuthorizationOpening,
): Promise<PendingAuthorization> {
  const { issuer, metadata, resource, isPublished } = discovered;
  const state = randomText();
  const signer = choosesDpop(account, discovered) ? await dpopOf(account, undefined) : undefined;
  const verifier = randomText();
  const url = authorizationUrl(metadata, {
    client_id: client.clientId,
    // RFC 7636, 4.2.
    code_challenge: bytesToBase64Url(await hashText(verifier)),
    redirect_uri: redirectUri,
    state,
    ...(scope !== undefined && { scope }),
    // OpenID Connect Core, 11: a refresh token needs a consent.
    ...(scope?.split(" ").includes("offline_access") === true && { prompt: "consent" }),
    ...(resource !== undefined && { resource }),
  });
  if (!isConfidentialUrl(url))
    throw authRequired(account, "its authorization page is neither https: nor on this machine");
  account.secrets.learn(state);
  account.secrets.learn(verifier);
  const expiresAt = clock.date() + pendingMs;
  const { serverId, title, principal, serverUrl } = account;
  throwIfAborted(signal, account, "signing in");
  await savePending(parts, state, {
    serverId,
    title,
    principal,
    serverUrl: serverUrl.href,
    issuer,
    metadata,
    isPublished,
    client,
    redirectUri,
    verifier,
    scope,
    resource,
    dpopKey: signer?.key,
    expiresAt,
  });
  for (const old of parts.begun) if (old.expiresAt <= clock.date()) parts.begun.delete(old);
  const pending = { serverId, principal, url, state, expiresAt };
  parts.begun.add(pending);
  return pending;
}

function authorizationUrl(metadata: Discovered["metadata"], parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(textOf(metadata, "authorization_endpoint") ?? "");
  const all = { response_type: "code", code_challenge_method: "S256", ...parameters };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return url;
}

// 256 bits, in the alphabet of URLs.
function randomText(): string {
  return bytesToBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Scopes of a sign-in beside those that the server names. */
export interface ScopeRequest {
  /** The caller's. */
  readonly scopes?: readonly string[] | undefined;
  /** The grant is not enough: then it is asked for as well, lest it be lost (SEP-2350). */
  readonly needsMore?: boolean | undefined;
  /** The granted scopes. */
  readonly granted?: string | undefined;
}

/**
 * Chooses the scopes to ask for: what is configured, else what the server's refusals named, else
 * what its metadata list; and `offline_access` where the authorization server lists that, for
 * without it some give no refresh token. `undefined`: what the authorization server grants by
 * itself.
 */
export function chooseScope(account: Account, discovered: Discovered, requested: ScopeRequest): string | undefined {
  const { config, hints } = account;
  const { scopes = [], needsMore = false, granted } = requested;
  const usual = config.scopes?.join(" ") ?? hints.scope ?? discovered.scopes.join(" ");
  const wanted = joinScopes(usual, ...(needsMore ? [hints.scope, granted] : []), scopes.join(" "));
  const offline = "offline_access";
  const isOffered = listOf(discovered.metadata, "scopes_supported")?.includes(offline) === true;
  // Alone it would stand in place of what is granted by default.
  return wanted !== undefined && isOffered ? joinScopes(wanted, offline) : wanted;
}
