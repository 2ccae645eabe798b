import { isHostsideError, type ServerSpec } from "@hostside/core";
import type { Account, AuthParts } from "../account.ts";
import type { Accounts } from "../create-accounts.ts";
import type { AccountOwner, SignedIn, SignedOut } from "../oauth.ts";
import { toSignedIn, readStoredAccount, type StoredAuthorization } from "../accounts/stored-account.ts";
import { accountKey, clearAccount, readAccount } from "../accounts/account-documents.ts";
import {
  compareText,
  isConfidentialUrl,
  isJsonObject,
  kindOf,
  resultWithin,
  untilAborted,
} from "@hostside/core/implement";
import { authenticateClient } from "../clients/authenticate-client.ts";
import { listOf, textOf } from "../discovering/read-metadata.ts";
import { settleInTurns } from "../settle-in-turns.ts";
import { savingMs } from "../store/credential-store.ts";

function assertServerId({ serverId }: { readonly serverId: unknown }): void {
  if (typeof serverId !== "string") throw new TypeError(`serverId must be a string, not ${kindOf(serverId)}`);
}

/** Signs out of a server, whoever signed in. The signal ends the wait alone. */
export async function signOutKept(
  parts: AuthParts,
  accounts: Accounts,
  { serverId, principal, signal }: AccountOwner & { readonly signal: AbortSignal },
): Promise<SignedOut> {
  assertServerId({ serverId });
  const leave = async (): Promise<SignedOut> => {
    const known = accounts.knownAccount(serverId, principal);
    const spec = known === undefined ? await storedServer(parts, { serverId, principal }) : undefined;
    const account = known ?? (spec && accounts.accountOf(spec, principal));
    if (account !== undefined) return signOut(parts, account);
    return { existed: await clearKept(parts, accounts, { serverId, principal }), revoked: undefined };
  };
  return untilAborted(leave(), signal);
}

/**
 * Forgets an account, also one that cannot be read, and asks nobody. Alone, so that no renewal is
 * saved afterwards. Resolves to whether there was one.
 */
export async function clearKept(parts: AuthParts, accounts: Accounts, who: AccountOwner): Promise<boolean> {
  assertServerId(who);
  const { serverId, principal } = who;
  const key = accountKey({ serverId, principal });
  const account = accounts.knownAccount(serverId, principal);
  return parts.store.withLock(key, savingMs, async () => {
    if (account !== undefined) return clearAccount(parts, account);
    const existed = await parts.store.clear(key);
    if (existed) parts.signedOut.emit({ serverId, principal });
    return existed;
  });
}

/**
 * All that is kept, without any secret, sorted by server and principal. A document that this
 * release cannot read is left out. Rejects with `store_failed`.
 */
export async function listAccounts({ store }: AuthParts): Promise<readonly SignedIn[]> {
  const keys = await store.accounts();
  const documents = await settleInTurns(keys, async (key) => ({ key, document: await store.load(key) }));
  return documents
    .flatMap(({ key: { serverId, principal }, document }) => {
      const account = document === undefined ? "" : readStoredAccount(document);
      if (typeof account === "string") return [];
      return toSignedIn({ serverId, principal, serverUrl: new URL(account.serverUrl) }, account);
    })
    .sort(
      (one, other) =>
        compareText(one.serverId, other.serverId) || compareText(one.principal ?? "", other.principal ?? ""),
    );
}

/** The server of a kept account that no connector has asked about; `undefined` for none. */
export async function storedServer(
  { store }: AuthParts,
  { serverId, principal }: AccountOwner,
): Promise<ServerSpec | undefined> {
  const document = await store.load({ kind: "account", serverId, principal });
  const url = isJsonObject(document) ? document["serverUrl"] : undefined;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return { id: serverId, type: "http", url, auth: "oauth" };
}

/** Longer than revocation takes. */
const signingOutMs = 30_000;
const revokingMs = 5000;

/**
 * Revokes the tokens of an account where the authorization server offers that, for 5 s, and then
 * forgets them in any case. Alone: a renewal that is under way is waited for, and a later one finds
 * nothing. Rejects with `store_failed` when they could not be forgotten.
 */
export async function signOut(parts: AuthParts, account: Account): Promise<SignedOut> {
  return parts.store.withLock(accountKey(account), signingOutMs, async (): Promise<SignedOut> => {
    const authorization = await readableAccount(parts, account);
    const revoked = authorization && (await revoke(account, authorization));
    return { existed: await clearAccount(parts, account), revoked };
  });
}

// What cannot be read can be forgotten all the same: that is the way out of it.
async function readableAccount(parts: AuthParts, account: Account): Promise<StoredAuthorization | undefined> {
  try {
    return await readAccount(parts, account);
  } catch (error) {
    if (isHostsideError(error, "store_failed")) return undefined;
    throw error;
  }
}

/**
 * Asks the authorization server to revoke what it gave (RFC 7009). Resolves to whether it agreed in
 * time; to `undefined` when it does not offer that. Never rejects.
 */
export async function revoke(account: Account, authorization: StoredAuthorization): Promise<boolean | undefined> {
  const endpoint = textOf(authorization.metadata, "revocation_endpoint");
  if (endpoint === undefined) return undefined;
  const work = revokeAt(new URL(endpoint), account, authorization).catch(() => false);
  return (await resultWithin(work, revokingMs)) ?? false;
}

async function revokeAt(
  url: URL,
  account: Account,
  { issuer, metadata, client, refreshToken, accessToken }: StoredAuthorization,
): Promise<boolean> {
  if (!isConfidentialUrl(url)) return false;
  const methods = listOf(metadata, "revocation_endpoint_auth_methods_supported");
  const authenticate = authenticateClient(account, client, { issuer, metadata, methods });
  let isRevoked = true;
  // The refresh token first: it lives longest, and most servers end the access token with it.
  for (const [token, hint] of [
    [refreshToken, "refresh_token"],
    [accessToken, "access_token"],
  ]) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint ?? "" });
    const headers = new Headers({ accept: "application/json" });
    await authenticate(headers, body);
    const response = await account.fetch(url, { method: "POST", headers, body });
    await response.body?.cancel();
    isRevoked &&= response.ok;
  }
  return isRevoked;
}
