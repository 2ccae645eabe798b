import { HostsideError } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { authenticateClient } from "../clients/authenticate-client.ts";
import { dpopOf } from "../dpop/dpop-signer.ts";
import { savingMs } from "../store/credential-store.ts";
import type { StoredAuthorization } from "../accounts/stored-account.ts";
import { accountKey, isStill, keepUnsaved, readAccount, writeAccount } from "../accounts/account-documents.ts";
import { toStoredAuthorization } from "../accounts/authorizations.ts";
import type { BackOff } from "./back-off.ts";
import { askWithOptional, longestAnswerMs } from "./request-tokens.ts";
import type { TokenFailure } from "./token-failure.ts";

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
export interface Redeeming {
  readonly authorization: StoredAuthorization;
  readonly refreshToken: string;
  /** Aborts when the lock is lost. */
  readonly lease: AbortSignal;
  readonly backOff: BackOff;
}

/**
 * Redeems a refresh token: writes down that it will, sends it, and saves the answer, which removes
 * that mark. Never given up between the second and the third. Rejects with `store_failed` before
 * anything was sent.
 */
export async function redeem(parts: AuthParts, account: Account, redeeming: Redeeming): Promise<RenewalEnd> {
  const { authorization, refreshToken, lease, backOff } = redeeming;
  const signer = authorization.dpopKey && (await dpopOf(account, authorization));
  const since = clock.date();
  const assertWanted = (): void => {
    if (parts.closing.aborted) throw notSent(account, "closed", "the host's OAuth was closed");
    if (lease.aborted || clock.date() - since > latestStartMs) {
      throw notSent(account, "overloaded", "the lock was lost before the refresh token was sent");
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
  backOff.succeeded();
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
  const { authorization, refreshToken, lease, backOff } = redeeming;
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
  if (settled.kind !== "renewed") backOff.failed(refreshToken, error);
  return settled;
}

interface Settlement {
  readonly end: RenewalEnd;
  /** Takes the place of what was redeemed. */
  readonly next: StoredAuthorization;
  readonly ifGone: RenewalEnd;
}

/**
 * Writes down how it ended, unless another authorization has taken the place of the one that was
 * redeemed. Under the lock that is held, or under a new one when it was lost.
 */
function settle(
  parts: AuthParts,
  account: Account,
  { authorization, lease, end, next, ifGone }: Redeeming & Settlement,
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

function notSent({ serverId }: Account, code: "closed" | "overloaded", why: string): HostsideError {
  return new HostsideError(`${why}; nothing was sent`, { code, serverId, outcome: "not-sent" });
}
