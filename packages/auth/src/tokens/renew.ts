import { isHostsideError, HostsideError } from "@hostside/core";
import { clock, resultWithin } from "@hostside/core/implement";
import { perAccount, type Account, type AuthParts } from "../account.ts";
import { type StoredAuthorization, tokenExpiryOf, toStoredAuthorization } from "../accounts/stored-account.ts";
import {
  accountKey,
  readAccount,
  saveUnsaved,
  isStill,
  keepUnsaved,
  writeAccount,
} from "../accounts/account-documents.ts";
import { BackOff, isHostsOwn } from "./back-off.ts";
import { authenticateClient } from "../clients/authenticate-client.ts";
import { dpopOf } from "../dpop/dpop.ts";
import { savingMs } from "../store/credential-store.ts";
import { askWithOptional, longestAnswerMs, type TokenFailure } from "./request-tokens.ts";

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
  renewals.running = run(parts, account, request).finally(() => (renewals.running = undefined));
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

async function run(parts: AuthParts, account: Account, request: RenewalRequest): Promise<RenewalEnd> {
  // Without the lock: most often somebody else was faster, and nobody needs to queue for that.
  const before = await readAccount(parts, account);
  const early = look(account, before, request);
  if (early !== undefined) return early;
  if (parts.closing.aborted) throw closed(account);
  if (request.obtain !== undefined) return obtain(account, credentialOf(before), request.obtain);
  return parts.store.withLock(accountKey(account), leaseMs, async (lease) => {
    const authorization = await readAccount(parts, account);
    const end = look(account, authorization, request);
    if (end !== undefined) return end;
    if (parts.closing.aborted) throw closed(account);
    if (authorization?.refreshToken === undefined) return { kind: "unrenewable" };
    const { refreshToken } = authorization;
    const work = redeem(parts, account, { authorization, refreshToken, lease });
    parts.redeeming.add(work);
    return work.finally(() => parts.redeeming.delete(work));
  });
}

/**
 * The end that what is stored decides: somebody else got a token; or somebody died while they
 * redeemed, and the access token still lives; or there is no refresh token. `undefined` when
 * somebody has to be asked.
 */
function look(
  account: Account,
  authorization: StoredAuthorization | undefined,
  { unwanted, obtain }: RenewalRequest,
): RenewalEnd | undefined {
  const left = authorization && tokenExpiryOf(authorization, clock.date());
  const isUnwanted = authorization?.accessToken === unwanted.accessToken;
  // One that was refused is over, whatever its answer promised.
  const isAlive = left !== undefined && left !== "over" && !(isUnwanted && unwanted.isRefused);
  const isMarked = authorization?.redeeming !== undefined;
  const canRenew = authorization?.refreshToken !== undefined;
  if (authorization !== undefined && isAlive) {
    const isGood = isUnwanted ? canRenew && !isMarked && left === "fresh" : !canRenew || isMarked || left === "fresh";
    if (isGood) return { kind: "renewed", authorization };
  }
  if (obtain === undefined && !canRenew) return { kind: "unrenewable" };
  if (obtain === undefined && isAlive && isMarked) return { kind: "left" };
  const error = renewalsOf(account).backOff.current(credentialOf(authorization));
  if (error === undefined) return undefined;
  return error.kind === "auth" ? { kind: "unrenewable", error } : { kind: "failed", error };
}

async function obtain(
  account: Account,
  credential: string,
  work: () => Promise<StoredAuthorization>,
): Promise<RenewalEnd> {
  const { backOff } = renewalsOf(account);
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
  const why = "the host's OAuth was closed; nothing was sent";
  return new HostsideError(why, { code: "closed", serverId, outcome: "not-sent" });
}

/** A token that is not to be used any more. */
interface Unwanted {
  /** The access token; `undefined` when there was none. */
  readonly accessToken: string | undefined;
  /** True if the server refused it; else it is only near its end. */
  readonly isRefused: boolean;
}

/** The end of a renewal. */
export type RenewalEnd =
  /** There is another access token: got here, or by somebody else. */
  | { readonly kind: "renewed"; readonly authorization: StoredAuthorization }
  /** Not tried: somebody died while they redeemed, and the access token still lives. */
  | { readonly kind: "left" }
  /** Only a user or an operator can help. `error`: what was said, when somebody was asked. */
  | { readonly kind: "unrenewable"; readonly error?: HostsideError | undefined }
  /** Not now: the authorization server is out of order. All that was stored still is. */
  | { readonly kind: "failed"; readonly error: HostsideError };

// A request leaves within this time after the mark was written, or not at all: a machine that slept
// meanwhile does not send it later.
const latestStartMs = 40_000;
/**
 * Longer than the longest redeem: until the last request leaves, its answer, and what the store
 * needs.
 */
export const leaseMs: number = latestStartMs + longestAnswerMs + 20_000;

/** A refresh token to redeem under the account's lock. */
interface Redeeming {
  readonly authorization: StoredAuthorization;
  readonly refreshToken: string;
  /** Aborts when the lock is lost. */
  readonly lease: AbortSignal;
}

/**
 * Redeems a refresh token: writes down that it will, sends it, and saves the answer, which removes
 * that mark. Never given up between the second and the third. Rejects with `store_failed` before
 * anything was sent.
 */
async function redeem(parts: AuthParts, account: Account, redeeming: Redeeming): Promise<RenewalEnd> {
  const { authorization, refreshToken, lease } = redeeming;
  const signer = authorization.dpopKey && (await dpopOf(account, authorization));
  const since = clock.date();
  const assertWanted = (): void => {
    if (parts.closing.aborted) throw closed(account);
    if (lease.aborted || clock.date() - since > latestStartMs) {
      const why = "the lock was lost before the refresh token was sent; nothing was sent";
      throw new HostsideError(why, { code: "overloaded", serverId: account.serverId, outcome: "not-sent" });
    }
  };
  const marked = { ...authorization, redeeming: { by: crypto.randomUUID(), since } };
  assertWanted();
  await writeAccount(parts, account, marked);
  const { issuer, metadata, client, resource, scope, dpopKey } = authorization;
  const authenticate = authenticateClient(account, client, { issuer, metadata });
  const request = { account, endpoint: metadata.token_endpoint, authenticate, signer, assertWanted };
  const params = { grant_type: "refresh_token", refresh_token: refreshToken };
  // Without the scope some authorization servers grant another one than the user consented to.
  const { tokens, failure, sent } = await askWithOptional(request, params, { resource, scope });
  if (failure !== undefined) return fail(parts, account, { ...redeeming, failure });
  renewalsOf(account).backOff.succeeded();
  const origin = { issuer, metadata, client, resource: sent.resource, dpopKey, renewed: authorization };
  const renewed = toStoredAuthorization(tokens, origin);
  const end: RenewalEnd = { kind: "renewed", authorization: renewed };
  try {
    // Nothing is stored any more after a sign-out, once the lock was lost.
    return await settle(parts, account, { ...redeeming, end, next: renewed, ifGone: { kind: "unrenewable" } });
  } catch {
    // Only this process knows the answer: it is used at once, and saved when the store is back.
    keepUnsaved(parts, account, { before: authorization, authorization: renewed });
    return end;
  }
}

async function fail(
  parts: AuthParts,
  account: Account,
  redeeming: Redeeming & { readonly failure: TokenFailure },
): Promise<RenewalEnd> {
  const { authorization, refreshToken, lease } = redeeming;
  const { trouble, isUnredeemed, error } = redeeming.failure;
  const { redeeming: _mark, ...rest } = authorization;
  const end: RenewalEnd = trouble === "passing" ? { kind: "failed", error } : { kind: "unrenewable", error };
  if (trouble === "dead-client") account.hints.refusedClientId = authorization.client.clientId;
  let settled: RenewalEnd = end;
  // Where nothing is known of an answer, the mark stays. Without the lock it is another process's.
  if (isUnredeemed && (trouble === "dead-grant" || !lease.aborted)) {
    // After another process died, it is still not known whether that one redeemed it.
    const next = trouble === "dead-grant" ? { ...rest, refreshToken: undefined } : authorization;
    // The verdict stands, written down or not.
    settled = await settle(parts, account, { ...redeeming, end, next, ifGone: end }).catch(() => end);
  }
  if (settled.kind !== "renewed") renewalsOf(account).backOff.failed(refreshToken, error);
  return settled;
}

/**
 * Writes down how it ended, with `next` in place of what was redeemed, unless another authorization
 * has taken its place. Under the lock that is held, or under a new one when it was lost.
 */
function settle(
  parts: AuthParts,
  account: Account,
  {
    authorization,
    lease,
    end,
    next,
    ifGone,
  }: Redeeming & { readonly end: RenewalEnd; readonly next: StoredAuthorization; readonly ifGone: RenewalEnd },
): Promise<RenewalEnd> {
  const work = async (): Promise<RenewalEnd> => {
    const stored = await readAccount(parts, account);
    if (stored === undefined) return ifGone;
    if (!isStill(stored, authorization)) return { kind: "renewed", authorization: stored };
    const isDead = stored.refreshToken === undefined && end.kind !== "renewed";
    if (!isDead) await writeAccount(parts, account, next);
    return end;
  };
  return lease.aborted ? parts.store.withLock(accountKey(account), savingMs, work) : work();
}
