import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { StoredAuthorization } from "../store/stored-account.ts";

const windowMs = 60_000;
/** Tokens are revoked now and then. */
const mostInWindow = 3;
/** Some end earlier than their answer said, by as much as a second. */
const perLife = 2;

/** A token that was got because another one was refused, and when that was. */
interface Renewal {
  readonly accessToken: string;
  readonly at: number;
}

const renewals = new WeakMap<Account, readonly Renewal[]>();

/**
 * Takes note that a token was got because the server refused another one: once, for however many
 * requests that was.
 */
export function noteRenewal(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  { accessToken }: Pick<StoredAuthorization, "accessToken">,
): void {
  const now = clock.now();
  const latest = (renewals.get(account) ?? []).filter(({ at }) => at > now - windowMs);
  if (latest.some((one) => one.accessToken === accessToken)) return;
  renewals.set(account, [...latest, { accessToken, at: now }]);
}

/**
 * Whether the server has refused more tokens within a minute than their lives explain. To go on
 * would ask the authorization server with each request, for a server that lets nobody in.
 */
export function exceedsRenewalRate(
  { clock }: Pick<AuthParts, "clock">,
  account: Account,
  { expiresAt, obtainedAt }: StoredAuthorization,
): boolean {
  const lifeMs = expiresAt === undefined ? windowMs : Math.max(1, expiresAt - obtainedAt);
  const latest = (renewals.get(account) ?? []).filter(({ at }) => at > clock.now() - windowMs);
  return latest.length >= mostInWindow + Math.floor((perLife * windowMs) / Math.max(lifeMs, 100));
}
