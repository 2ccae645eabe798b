import { isHostsideError, HostsideError } from "@hostside/core";
import { clock, resultWithin } from "@hostside/core/implement";
import { perAccount, type Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { StoredAuthorization } from "../accounts/stored-account.ts";
import { accountKey, readAccount, saveUnsaved } from "../accounts/account-documents.ts";
import { tokenExpiryOf } from "../accounts/authorizations.ts";
import { BackOff, isHostsOwn } from "./back-off.ts";
import { leaseMs, redeem, type RenewalEnd } from "./redeem.ts";

/** A renewal that somebody wants. */
export interface RenewalRequest {
  readonly unwanted: Unwanted;
  /**
   * For an account that signs in as a program: gets a token anew, alone among all that share the
   * store, and saves it.
   */
  readonly obtain?: (() => Promise<StoredAuthorization>) | undefined;
}

interface Renewals {
  /** One at a time in a process. */
  running?: Promise<RenewalEnd> | undefined;
  readonly backOff: BackOff;
}

const lastSavingMs = 5000;

const renewalsOf = perAccount((): Renewals => ({ backOff: new BackOff() }));
/**
 * Gets another access token than the one that is not wanted any more: what somebody else has got
 * meanwhile, else by redeeming the refresh token. One at a time in this process, and among all that
 * share the store; callers that come together share one. A caller that stops waiting ends nothing:
 * tokens that were redeemed are saved. Rejects with `store_failed`, `overloaded` or `closed`;
 * whatever the authorization server does is an end, not an error.
 */
export async function renew(parts: AuthParts, account: Account, request: RenewalRequest): Promise<RenewalEnd> {
  const renewals = renewalsOf(account);
  while (renewals.running !== undefined) {
    const end = await renewals.running;
    // What a renewal got that began earlier may be the very token that is not wanted.
    if (end.kind === "renewed" && end.authorization.accessToken !== request.unwanted.accessToken) return end;
    if (end.kind === "failed" || end.kind === "unrenewable") return end;
  }
  renewals.running = run(parts, account, { request, renewals }).finally(() => (renewals.running = undefined));
  return renewals.running;
}

/**
 * Tells whether a renewal would not be tried now: one is under way, or the latest failed a short
 * while ago.
 */
export function isRenewalIdle(account: Account, authorization: StoredAuthorization): boolean {
  const { running, backOff } = renewalsOf(account);
  return running === undefined && backOff.current(credentialOf(authorization)) === undefined;
}

/** Tells whether one is under way in this process. */
export function isRenewing(account: Account): boolean {
  return renewalsOf(account).running !== undefined;
}

/**
 * Waits until no refresh token is being redeemed, at most so long; and tries once more to save what
 * could not be saved, for 5 s. A renewal that waits for its turn is not waited for: nothing of it
 * was sent.
 */
export async function settleRenewals(parts: AuthParts, timeoutMs: number): Promise<void> {
  await resultWithin(Promise.allSettled(parts.redeeming), timeoutMs);
  const saving = Array.from(parts.unsaved, (account) => saveUnsaved(parts, account));
  if (saving.length > 0) await resultWithin(Promise.allSettled(saving), lastSavingMs);
}

interface Run {
  readonly request: RenewalRequest;
  readonly renewals: Renewals;
}

async function run(parts: AuthParts, account: Account, { request, renewals }: Run): Promise<RenewalEnd> {
  // Without the lock: most often somebody else was faster, and nobody needs to queue for that.
  const before = await readAccount(parts, account);
  const early = look(before, { request, renewals });
  if (early !== undefined) return early;
  if (request.obtain !== undefined) {
    const credential = credentialOf(before);
    return obtain(parts, account, { backOff: renewals.backOff, credential, work: request.obtain });
  }
  return parts.store.withLock(accountKey(account), leaseMs, async (lease) => {
    const authorization = await readAccount(parts, account);
    const end = look(authorization, { request, renewals });
    if (end !== undefined) return end;
    if (parts.closing.aborted) throw closed(account);
    if (authorization?.refreshToken === undefined) return { kind: "unrenewable" };
    const { refreshToken } = authorization;
    const work = redeem(parts, account, { authorization, refreshToken, lease, backOff: renewals.backOff });
    parts.redeeming.add(work);
    return work.finally(() => parts.redeeming.delete(work));
  });
}

/** The end that what is stored decides; `undefined` when somebody has to be asked. */
function look(
  authorization: StoredAuthorization | undefined,
  { request: { unwanted, obtain }, renewals }: Run,
): RenewalEnd | undefined {
  const step = decideRenewal(authorization, unwanted);
  if (authorization !== undefined && step === "adopt") return { kind: "renewed", authorization };
  if (step === "leave" && obtain === undefined) return { kind: "left" };
  if (step === "none" && obtain === undefined) return { kind: "unrenewable" };
  const error = renewals.backOff.current(credentialOf(authorization));
  if (error === undefined) return undefined;
  return error.kind === "auth" ? { kind: "unrenewable", error } : { kind: "failed", error };
}

async function obtain(
  { closing }: AuthParts,
  account: Account,
  {
    backOff,
    credential,
    work,
  }: { readonly backOff: BackOff; readonly credential: string; readonly work: () => Promise<StoredAuthorization> },
): Promise<RenewalEnd> {
  if (closing.aborted) throw closed(account);
  try {
    const authorization = await work();
    backOff.succeeded();
    return { kind: "renewed", authorization };
  } catch (error) {
    if (!isHostsideError(error) || isHostsOwn(error)) throw error;
    backOff.failed(credential, error);
    return error.kind === "auth" || error.kind === "contract"
      ? { kind: "unrenewable", error }
      : { kind: "failed", error };
  }
}

/** The subject of a back-off: a new sign-in begins anew. */
function credentialOf(authorization: StoredAuthorization | undefined): string {
  return authorization?.refreshToken ?? "";
}

function closed({ serverId }: Account): HostsideError {
  return new HostsideError("the host's OAuth was closed; nothing was renewed", { code: "closed", serverId });
}

/** A token that is not to be used any more. */
export interface Unwanted {
  /** The access token; `undefined` when there was none. */
  readonly accessToken: string | undefined;
  /** True if the server refused it; else it is only near its end. */
  readonly isRefused: boolean;
}

/**
 * The next step about an unwanted token: `adopt` what is stored, because
 * somebody else got it; `leave` things as they are, because somebody died while they redeemed and
 * the access token still lives; `redeem`; or nothing (`none`), because there is no refresh token.
 */
type RenewalStep = "adopt" | "leave" | "none" | "redeem";

/** Decides by what is stored now. */
function decideRenewal(authorization: StoredAuthorization | undefined, unwanted: Unwanted): RenewalStep {
  if (authorization === undefined) return "none";
  const left = tokenExpiryOf(authorization, clock.date());
  const isUnwanted = authorization.accessToken === unwanted.accessToken;
  // One that was refused is over, whatever its answer promised.
  const isAlive = left !== "over" && !(isUnwanted && unwanted.isRefused);
  if (!isUnwanted && left === "fresh") return "adopt";
  if (authorization.refreshToken === undefined) return isAlive && !isUnwanted ? "adopt" : "none";
  if (!isAlive) return "redeem";
  if (authorization.redeeming !== undefined) return isUnwanted ? "leave" : "adopt";
  return left === "fresh" ? "adopt" : "redeem";
}
