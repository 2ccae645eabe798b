import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import { discoverAgain } from "./discover-again.ts";

// Where a program signs in: found out anew only when its tokens are refused.
const found = new WeakMap<Account, Discovered>();

/** Where to sign in, as it was found out last in this process. */
export async function whereToSignIn(
  parts: AuthParts,
  account: Account,
  { signal, anew = false }: { readonly signal?: AbortSignal; readonly anew?: boolean } = {},
): Promise<Discovered> {
  const known = found.get(account);
  if (known !== undefined && !anew) return known;
  const discovered = await discoverAgain(parts, account, signal);
  found.set(account, discovered);
  return discovered;
}
