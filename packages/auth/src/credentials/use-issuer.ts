import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { savingMs } from "../store/saving-ms.ts";
import { accountKey, readAccount, writeAccount } from "../tokens/account-documents.ts";
import { authorizationOf } from "../tokens/authorizations.ts";

/**
 * Has the tokens used that an authorization server gave earlier. Resolves to whether there are any
 * that may still be of use.
 */
export function useIssuer(parts: AuthParts, account: Account, issuer: string): Promise<boolean> {
  return parts.store.withLock(accountKey(account), savingMs, async () => {
    const document = await readAccount(parts, account);
    const kept = authorizationOf(document, issuer);
    if (document === undefined || kept === undefined) return false;
    if (document.issuer !== kept.issuer) await writeAccount(parts, account, { ...document, issuer: kept.issuer });
    return true;
  });
}
