import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { StoredAuthorization } from "../store/stored-account.ts";

const windowMs = 60_000;
/** Tokens are revoked now and then. */
const mostInWindow = 3;
/** Some end earlier than their answer said, by as much as a second. */
const perLife = 2;

// When a token was got because another one was refused.
const renewals = new WeakMap<Account, readonly number[]>();

/** Takes note that a token was got because the server refused another one. */
export function noteRenewal({ clock }: Pick<AuthParts, "clock">, account: Account): void {
  const now = clock.now();
  renewals.set(account, [...(renewals.get(account) ?? []).filter((at) => at > now - windowMs), now]);
}

/**
 * Whether the server has refused more tokens within a minute than their lives explain. To go on would ask the authorization server with each
 * request, for a server that lets nobody in.
 */
export function isFruitless(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  { expiresAt, obtainedAt }: StoredAuthorization,
): boolean {
  const lifeMs = expiresAt === undefined ? windowMs : Math.max(1, expiresAt - obtainedAt);
  const latest = (renewals.get(account) ?? []).filter((at) => at > clock.now() - windowMs);
  return latest.length >= mostInWindow + Math.floor((perLife * windowMs) / Math.max(lifeMs, 100));
}
