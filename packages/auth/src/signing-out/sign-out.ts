import { isHostsideError, type Clock } from "@hostside/core";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { SignedOut } from "../oauth.ts";
import type { StoredAccount, StoredAuthorization } from "../accounts/stored-account.ts";
import { accountKey, clearAccount, readAccount } from "../accounts/account-documents.ts";
import { isConfidentialUrl, resultWithin } from "@hostside/core/implement";
import { authenticateClient, proofOf } from "../clients/authenticate-client.ts";
import { listOf } from "../discovering/server-metadata.ts";
import { settleInTurns } from "../settle-in-turns.ts";

/** Revocation is bounded by less than that. */
const signingOutMs = 30_000;

/**
 * Revokes the tokens of an account where their authorization servers offer that, for 5 s in all,
 * and then forgets them in any case. Alone: who is renewing is waited for, and who wants to finds
 * nothing afterwards. Rejects with `store_failed` when they could not be forgotten.
 */
export async function signOut(parts: AuthParts, account: Account): Promise<SignedOut> {
  return parts.store.withLock(accountKey(account), signingOutMs, async (): Promise<SignedOut> => {
    const document = await readableAccount(parts, account);
    const revoked = document && (await revokeAll(parts, account, document.authorizations));
    return { existed: await clearAccount(parts, account), revoked };
  });
}

// What cannot be read can be forgotten all the same: that is the way out of it.
async function readableAccount(parts: AuthParts, account: Account): Promise<StoredAccount | undefined> {
  try {
    return await readAccount(parts, account);
  } catch (error) {
    if (isHostsideError(error, "store_failed")) return undefined;
    throw error;
  }
}

const revokingMs = 5000;

/**
 * Asks each authorization server that offers it to revoke what it gave (RFC 7009). Resolves to
 * whether all agreed in time; to `undefined` when none offers it. Never rejects.
 */
async function revokeAll(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  authorizations: readonly StoredAuthorization[],
): Promise<boolean | undefined> {
  const offering = authorizations.filter(({ metadata }) => typeof metadata["revocation_endpoint"] === "string");
  if (offering.length === 0) return undefined;
  const work = settleInTurns(offering, (authorization) => revoke({ account, clock }, authorization));
  const agreed = await resultWithin(work, revokingMs, clock);
  return agreed?.every(Boolean) ?? false;
}

interface Revoker {
  readonly account: Account;
  readonly clock: Clock;
}

async function revoke(revoker: Revoker, authorization: StoredAuthorization): Promise<boolean> {
  const { refreshToken, accessToken } = authorization;
  try {
    // The refresh token first: it lives longest, and most servers end the access token with it.
    const first =
      refreshToken === undefined || (await revokeToken(revoker, authorization, [refreshToken, "refresh_token"]));
    const second = await revokeToken(revoker, authorization, [accessToken, "access_token"]);
    return first && second;
  } catch {
    return false;
  }
}

async function revokeToken(
  { account, clock }: Revoker,
  { issuer, metadata, client }: StoredAuthorization,
  [token, hint]: readonly [token: string, hint: string],
): Promise<boolean> {
  const endpoint = metadata["revocation_endpoint"];
  const url = typeof endpoint === "string" ? new URL(endpoint) : undefined;
  if (url === undefined || !isConfidentialUrl(url)) return false;
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const methods = listOf(metadata, "revocation_endpoint_auth_methods_supported");
  const headers = new Headers({ accept: "application/json" });
  const place = { account, clock, issuer, metadata, methods };
  await authenticateClient(proofOf(account, client), place)(headers, body, url);
  const response = await account.fetch(url, { method: "POST", headers, body });
  await response.body?.cancel();
  return response.ok;
}
