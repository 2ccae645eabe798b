import type { StoredAuthorization } from "../store/stored-account.ts";
import { tokenExpiryOf } from "./token-expiry.ts";

/** Which token is not to be used any more. */
export interface Unwanted {
  /** The access token; `undefined` when there was none. */
  readonly accessToken: string | undefined;
  /** Whether the server refused it; else it is only near its end. */
  readonly isRefused: boolean;
}

/** What there is to go by. */
export interface RenewalView {
  readonly authorization: StoredAuthorization | undefined;
  readonly unwanted: Unwanted;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly refreshSkewMs: number;
}

/**
 * What to do about a token that is not to be used any more: `adopt` what is stored, because
 * somebody else got it; `leave` things as they are, because somebody died while they redeemed and
 * the access token still lives; `redeem`; or nothing (`none`), because there is no refresh token.
 */
export type RenewalStep = "adopt" | "leave" | "none" | "redeem";

/** Decides by what is stored now. Pure. */
export function decideRenewal({ authorization, unwanted, now, refreshSkewMs }: RenewalView): RenewalStep {
  if (authorization === undefined) return "none";
  const left = tokenExpiryOf(authorization, now, refreshSkewMs);
  const isUnwanted = authorization.accessToken === unwanted.accessToken;
  // One that was refused is over, whatever its answer promised.
  const isAlive = left !== "over" && !(isUnwanted && unwanted.isRefused);
  if (!isUnwanted && left === "fresh") return "adopt";
  if (authorization.refreshToken === undefined) return isAlive && !isUnwanted ? "adopt" : "none";
  if (!isAlive) return "redeem";
  if (authorization.redeeming !== undefined) return isUnwanted ? "leave" : "adopt";
  return left === "fresh" ? "adopt" : "redeem";
}
