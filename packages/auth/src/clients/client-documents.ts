import type { HostsideError } from "@hostside/core";
import { clock, isLoopbackUrl } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { serverError } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { coversScopes, joinScopes } from "../discovering/read-challenges.ts";
import { savingMs, type CredentialKey } from "../store/credential-store.ts";
import {
  isUrl,
  partChecks,
  readDocument,
  withoutAbsent,
  type Checks,
  type StoredClient,
} from "../accounts/stored-account.ts";

/** A client that was registered, and for what. */
export interface ClientDocument {
  readonly client: StoredClient;
  /** The redirect URI that users may be sent back to. */
  readonly redirectUri: string;
  /** Scopes that it was registered for. */
  readonly askedScope?: string | undefined;
  /** Scopes that the authorization server lets it ask for; absent when it does not say. */
  readonly scope?: string | undefined;
}

const { client, scope } = partChecks;
const clientChecks: Checks<ClientDocument> = { client, redirectUri: isUrl, askedScope: scope, scope };

// RFC 8252, 7.3: whatever the port, it is the same application; which one it is registered with
// stands in the document.
const anyPort = "http://127.0.0.1/";
// A registration that ends during the sign-in is of no use.
const lastMinuteMs = 60_000;

/** Names the client in the store that has users sent back to this URI. */
export function clientKey(issuer: string, redirectUri: string | undefined): CredentialKey {
  const url = redirectUri === undefined ? undefined : new URL(redirectUri);
  const isListened = url === undefined || (url.protocol === "http:" && isLoopbackUrl(url));
  return { kind: "client", issuer, redirectUri: isListened || redirectUri === undefined ? anyPort : redirectUri };
}

/**
 * The client that is kept, for whatever port; `undefined` when there is none that still holds.
 * Rejects with `store_failed`.
 */
export async function readClient(
  { store }: Pick<AuthParts, "store">,
  account: Account,
  key: CredentialKey,
): Promise<ClientDocument | undefined> {
  const document = await store.load(key);
  if (document === undefined) return undefined;
  const known = readDocument(document, clientChecks);
  if (known === undefined) throw unreadable(account);
  const { clientId, clientSecret, secretExpiresAt } = known.client;
  if (clientId === account.hints.refusedClientId) return undefined;
  if (secretExpiresAt !== undefined && secretExpiresAt <= clock.date() + lastMinuteMs) return undefined;
  if (clientSecret !== undefined) account.secrets.learn(clientSecret);
  return known;
}

/** Keeps a client. Only for who has its lock. */
export async function saveClient(
  { store }: Pick<AuthParts, "store">,
  key: CredentialKey,
  document: ClientDocument,
): Promise<void> {
  await store.save(key, { version: 1, ...withoutAbsent(document) });
}

/**
 * Tells whether a client that is kept will do, or has to be registered for this URI and these
 * scopes. To ask again for what was refused is of no use.
 */
export function holds(document: ClientDocument, redirectUri: string, scope: string | undefined): boolean {
  if (document.redirectUri !== redirectUri) return false;
  return document.scope === undefined || coversScopes(joinScopes(document.scope, document.askedScope), scope);
}

/**
 * Forgets a client that its authorization server no longer knows, so that the next sign-in
 * registers anew; not one that took its place meanwhile. Rejects with `store_failed`.
 */
export async function forgetClient(
  parts: Pick<AuthParts, "store">,
  account: Account,
  {
    issuer,
    redirectUri,
    clientId,
  }: { readonly issuer: string; readonly redirectUri?: string | undefined; readonly clientId: string },
): Promise<void> {
  const key = clientKey(issuer, redirectUri);
  await parts.store.withLock(key, savingMs, async () => {
    const document = await readClient(parts, account, key);
    if (document?.client.clientId === clientId) await parts.store.clear(key);
  });
}

function unreadable(account: Account): HostsideError {
  const text =
    "what is stored about the client of its authorization server cannot be used: it is malformed, or a newer release wrote it; it was left as it is";
  return serverError(account, text, { code: "store_failed", details: { operation: "read credentials" } });
}
