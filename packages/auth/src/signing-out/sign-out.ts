import { isHostsideError } from "@hostside/core";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { SignedOut } from "../oauth.ts";
import type { StoredAccount } from "../store/stored-account.ts";
import { accountKey, clearAccount, readAccount } from "../tokens/account-documents.ts";
import { revokeAll } from "./revoke-tokens.ts";

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
