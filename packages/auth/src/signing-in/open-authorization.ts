import { clock, isConfidentialUrl } from "@hostside/core/implement";
import type { Account, AuthParts } from "../account.ts";
import { authRequired, safeExcerptOf, throwIfAborted } from "../auth-errors.ts";
import { discoverForSignIn, type Discovered } from "../discovering/discover-authorization.ts";
import { listOf, textOf } from "../discovering/read-metadata.ts";
import { choosesDpop, dpopOf } from "../dpop/dpop.ts";
import type { PendingAuthorization } from "../oauth.ts";
import {
  type StoredClient,
  isDate,
  isOptional,
  isString,
  isText,
  isUrl,
  partChecks,
  readDocument,
  sameIssuer,
  withoutAbsent,
  type Checks,
  type StoredMetadata,
} from "../accounts/stored-account.ts";
import { bytesToBase64Url, hashText } from "../store/sealer.ts";
import { joinScopes } from "../discovering/read-challenges.ts";
import type { JsonObject } from "@hostside/core";
import { readAccount } from "../accounts/account-documents.ts";
import { becomeClient } from "../clients/become-client.ts";
import { savingMs, type CredentialKey } from "../store/credential-store.ts";

/**
 * Finds out where users sign in. Throws `auth_required` when no user may be sent there: when it has
 * no page for users, or does not say that it takes proof keys of the one kind that is worth sending
 * (RFC 7636, S256): the specification has clients refuse then.
 */
export async function discoverForUsers(parts: AuthParts, account: Account, signal: AbortSignal): Promise<Discovered> {
  const discovered = await discoverForSignIn(parts, account, signal);
  const { issuer, metadata } = discovered;
  const refuse = (why: string): Error =>
    authRequired(account, `its authorization server ${safeExcerptOf(account, issuer)} ${why}`);
  if (textOf(metadata, "authorization_endpoint") === undefined)
    throw refuse("has no page for users (authorization_endpoint)");
  if (listOf(metadata, "response_types_supported")?.includes("code") === false)
    throw refuse("does not offer the authorization code flow");
  if (listOf(metadata, "code_challenge_methods_supported")?.includes("S256") === true) return discovered;
  throw refuse(
    "does not say that it supports PKCE with S256 (code_challenge_methods_supported); without it nobody is sent there",
  );
}

/** A page of an authorization server that a user is to be sent to. */
export interface OpenedAuthorization {
  readonly pending: PendingAuthorization;
  readonly clientId: string;
  /** True if the client is one of an earlier sign-in. */
  readonly isKept: boolean;
}

/**
 * Becomes a client, makes what a user is sent away with, and keeps what their answer is redeemed
 * with. Shows nothing to anybody.
 */
export async function openAuthorization(
  parts: AuthParts,
  account: Account,
  {
    discovered,
    redirectUri,
    signal,
    ...requested
  }: ScopeRequest & { readonly discovered: Discovered; readonly redirectUri: string; readonly signal: AbortSignal },
): Promise<OpenedAuthorization> {
  const { issuer, metadata, resource, isPublished } = discovered;
  const stored = await readAccount(parts, account);
  const granted = stored !== undefined && sameIssuer(stored.issuer, issuer) ? stored.scope : undefined;
  const scope = chooseScope(account, discovered, { ...requested, granted });
  const { client, isKept } = await becomeClient(parts, account, { discovered, redirectUri, scope, signal });
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
  const document: PendingDocument = {
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
  };
  // For as long as the answer is waited for.
  await parts.store.save(pendingKey(state), { version: 1, ...withoutAbsent(document) }, pendingMs);
  for (const old of parts.begun) if (old.expiresAt <= clock.date()) parts.begun.delete(old);
  const pending = { serverId, principal, url, state, expiresAt };
  parts.begun.add(pending);
  return { pending, clientId: client.clientId, isKept };
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
}

/**
 * Chooses the scopes to ask for: what is configured, else what the server's refusals named, else
 * what its metadata list; and `offline_access` where the authorization server lists that, for
 * without it some give no refresh token. `undefined`: what the authorization server grants by
 * itself.
 */
export function chooseScope(
  account: Account,
  discovered: Discovered,
  { scopes = [], needsMore = false, granted }: ScopeRequest & { readonly granted?: string | undefined },
): string | undefined {
  const { config, hints } = account;
  const usual = config.scopes?.join(" ") ?? hints.scope ?? discovered.scopes.join(" ");
  const wanted = joinScopes(usual, ...(needsMore ? [hints.scope, granted] : []), scopes.join(" "));
  const offline = "offline_access";
  const isOffered = listOf(discovered.metadata, "scopes_supported")?.includes(offline) === true;
  // Alone it would stand in place of what is granted by default.
  return wanted !== undefined && isOffered ? joinScopes(wanted, offline) : wanted;
}

/** The time that the answer of a user is waited for. */
export const pendingMs = 600_000;

/**
 * A user who was sent to an authorization page: all that is needed to redeem what comes back, in
 * whichever process.
 */
export interface PendingDocument {
  readonly serverId: string;
  readonly title: string;
  readonly principal: string | undefined;
  readonly serverUrl: string;
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  /** True if the issuer is one that was published, or the server's own origin in place of one. */
  readonly isPublished: boolean;
  readonly client: StoredClient;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  readonly dpopKey: JsonObject | undefined;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Names it in the store. */
export function pendingKey(state: string): CredentialKey {
  return { kind: "pending", state };
}

/**
 * Takes it out, so that nobody else gets it: one of all that share the store. `undefined` when
 * there is none, or its time is over. An error of `check` leaves it where it is.
 */
export function takePending(
  { store }: AuthParts,
  state: string,
  check: (document: PendingDocument) => void,
): Promise<PendingDocument | undefined> {
  const key = pendingKey(state);
  return store.withLock(key, savingMs, async (lease) => {
    const found = await store.load(key);
    if (found === undefined) return undefined;
    const document = readDocument(found, pendingChecks, {
      what: "what is stored about the authorization that was begun",
      advice: "begin again",
    });
    const isOver = document.expiresAt <= clock.date();
    if (!isOver) check(document);
    // Somebody else may have it by now.
    lease.throwIfAborted();
    const wasThere = await store.clear(key);
    return wasThere && !isOver ? document : undefined;
  });
}

const pendingChecks: Checks<PendingDocument> = {
  ...partChecks,
  serverId: isText,
  title: isString,
  principal: isOptional(isString),
  serverUrl: isUrl,
  isPublished: (value) => typeof value === "boolean",
  redirectUri: isUrl,
  verifier: isText,
  expiresAt: isDate,
};

/**
 * Forgets all that this process began for an account and that was not completed. Resolves to
 * whether there was anything.
 */
export async function cancelBegun(
  { store, begun }: AuthParts,
  { serverId, principal }: Pick<Account, "principal" | "serverId">,
): Promise<boolean> {
  let existed = false;
  for (const one of begun) {
    if (one.serverId !== serverId || one.principal !== principal) continue;
    existed = (await store.clear(pendingKey(one.state))) || existed;
    begun.delete(one);
  }
  return existed;
}
