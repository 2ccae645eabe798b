import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { CredentialKey } from "../store/credential-store.ts";
import { savingMs } from "../store/saving-ms.ts";
import { clearAccount } from "../tokens/account-documents.ts";

/** What is to be forgotten. */
export interface Forgotten {
  readonly key: CredentialKey & { readonly kind: "account" };
  /** When it is in use in this process. */
  readonly account?: Account | undefined;
}

/**
 * Forgets an account and asks nobody: what is unreadable, too. Alone, so that nobody who is
 * renewing saves afterwards. Resolves to whether there was one; rejects with `store_failed`. Other
 * processes see it within 10 s.
 */
export async function forgetAccount(parts: AuthParts, { key, account }: Forgotten): Promise<boolean> {
  return parts.store.withLock(key, savingMs, () =>
    account === undefined ? parts.store.clear(key) : clearAccount(parts, account),
  );
}
