import type { StoredAuthorization } from "../store/stored-account.ts";

/**
 * How much of an access token's life is left: `fresh`, `due` to be renewed, `ending` before the
 * next request is answered, or `over`.
 */
export type TokenExpiry = "due" | "ending" | "fresh" | "over";

/** At most this part of a life is skew: else a token of a minute would be renewed all the time. */
const skewPart = 1 / 5;
/** The last part of the skew, in which nobody counts on the token any more. */
const endingPart = 1 / 4;

/**
 * What is left of the life of an access token. `now`: milliseconds since 1970. One whose end nobody
 * knows is fresh until it is refused.
 */
export function tokenExpiryOf(
  { expiresAt, obtainedAt }: Pick<StoredAuthorization, "expiresAt" | "obtainedAt">,
  now: number,
  refreshSkewMs: number,
): TokenExpiry {
  if (expiresAt === undefined) return "fresh";
  const skewMs = Math.min(refreshSkewMs, Math.max(0, expiresAt - obtainedAt) * skewPart);
  const leftMs = expiresAt - now;
  if (leftMs <= 0) return "over";
  if (leftMs <= skewMs * endingPart) return "ending";
  return leftMs <= skewMs ? "due" : "fresh";
}
