import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { clientKey } from "../clients/client-documents.ts";
import { discoverAuthorization } from "../discovering/discover-authorization.ts";
import { savingMs } from "../store/saving-ms.ts";
import { readAccount } from "../tokens/account-documents.ts";

/**
 * Forgets the clients of an account: at the issuers of its sign-ins, or else at the one that its
 * server names.
 */
export async function forgetClients(parts: AuthParts, account: Account, signal: AbortSignal): Promise<boolean> {
  const stored = await readAccount(parts, account).catch(() => undefined);
  const issuers = stored?.authorizations.map(({ issuer }) => issuer) ?? [
    (await discoverAuthorization(account, parts, { signal })).issuer,
  ];
  const { redirectUri } = parts.settings;
  const forgotten = issuers
    .flatMap((issuer) => [
      clientKey(issuer, undefined),
      ...(redirectUri === undefined ? [] : [clientKey(issuer, redirectUri)]),
    ])
    .map((key) => parts.store.withLock(key, savingMs, () => parts.store.clear(key)));
  return (await Promise.all(forgotten)).some(Boolean);
}
