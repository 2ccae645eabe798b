import type { OAuthTokens } from "@modelcontextprotocol/client";
import { HostsideError, type Cancel } from "@hostside/core";
import { dateOf, untilAborted } from "@hostside/core/implement";
import { nameServer, withoutServerName } from "../auth-errors.ts";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import { authenticateClient, proofOf } from "../clients/authenticate-client.ts";
import { dpopOf } from "../dpop/dpop-signer.ts";
import { toSdkMetadata } from "../discovering/server-metadata.ts";
import { loadOAuth } from "../load-oauth.ts";
import { savingMs } from "../store/credential-store.ts";
import type { StoredAccount, StoredAuthorization } from "../accounts/stored-account.ts";
import {
  accountKey,
  isStill,
  keepUnsaved,
  readAccount,
  replaceAuthorization,
  writeUnsaved,
} from "../accounts/account-documents.ts";
import { authorizationOf, toStoredAuthorization } from "../accounts/authorizations.ts";
import type { BackOff } from "./back-off.ts";
import { askWithOptional, longestAnswerMs } from "./request-tokens.ts";
import type { TokenFailure } from "./token-failure.ts";

/** How a renewal ended. */
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
// A store that is out of order for a while costs nobody the answer; so long nobody else may redeem,
// who could not save either.
const saveAgainAfterMs = [100, 1000, 3000, 5000, 10_000];

/** What is to be redeemed, by who has the account's lock. */
export interface Redeeming {
  readonly document: StoredAccount;
  readonly authorization: StoredAuthorization;
  readonly refreshToken: string;
  /** Aborts when the lock is lost. */
  readonly lease: AbortSignal;
  readonly backOff: BackOff;
  /** The end for whoever waits, when the answer is there and cannot be saved yet. */
  readonly onUnsaved: (end: RenewalEnd) => void;
}

/**
 * Redeems a refresh token: writes down that it will, sends it, and saves the answer, which removes
 * that mark. Never given up between the second and the third. Rejects with `store_failed` before
 * anything was sent.
 */
export async function redeem(parts: AuthParts, account: Account, redeeming: Redeeming): Promise<RenewalEnd> {
  const { document, authorization, refreshToken, lease, backOff } = redeeming;
  const { clock } = parts;
  const { refreshAuthorization } = await loadOAuth();
  const dpop = authorization.dpopKey && (await dpopOf(account, authorization)).session;
  const since = dateOf(clock);
  const assertWanted = (): void => {
    if (parts.closing.aborted) throw notSent(account, "closed", "the host's OAuth was closed");
    if (lease.aborted || dateOf(clock) - since > latestStartMs) {
      throw notSent(account, "overloaded", "the lock was lost before the refresh token was sent");
    }
  };
  const marked = { ...authorization, redeeming: { by: randomName(), since } };
  assertWanted();
  await replaceAuthorization(parts, account, { document, authorization: marked });
  const { issuer, metadata, client, resource, scope } = authorization;
  const proof = authenticateClient(proofOf(account, client), { account, clock, issuer, metadata });
  const request = { account, clock, assertWanted };
  // Without the scope some authorization servers grant another one than the user consented to.
  const optional = { ...(resource !== undefined && { resource }), ...(scope !== undefined && { scope }) };
  const { tokens, failure, sent } = await askWithOptional(request, optional, (fetchFn, params) =>
    refreshAuthorization(issuer, {
      metadata: toSdkMetadata(metadata),
      clientInformation: { client_id: client.clientId },
      addClientAuthentication: proof,
      refreshToken,
      ...params,
      ...(dpop !== undefined && { dpop }),
      fetchFn,
    }),
  );
  if (failure !== undefined) return fail(parts, account, { ...redeeming, failure });
  backOff.succeeded();
  return keep(parts, account, { ...redeeming, tokens, resource: sent.resource });
}

interface Redeemed {
  readonly tokens: OAuthTokens;
  /** The one that the authorization server takes. */
  readonly resource: string | undefined;
}

async function keep(
  parts: AuthParts,
  account: Account,
  { authorization, lease, onUnsaved, tokens, resource }: Redeeming & Redeemed,
): Promise<RenewalEnd> {
  const { issuer, metadata, client, dpopKey } = authorization;
  const renewed = toStoredAuthorization(
    tokens,
    { issuer, metadata, client, resource, dpopKey, renewed: authorization },
    parts.clock,
  );
  const replace = async (): Promise<RenewalEnd> => {
    const document = await readAccount(parts, account);
    const stored = authorizationOf(document, issuer);
    // Somebody signed out in the time after the lock was lost, or by removing what the store has.
    if (document === undefined || stored === undefined) return { kind: "unrenewable" };
    if (!isStill(stored, authorization)) return { kind: "renewed", authorization: stored };
    await replaceAuthorization(parts, account, { document, authorization: renewed });
    return { kind: "renewed", authorization: renewed };
  };
  try {
    return await alone(parts, { account, lease, work: replace });
  } catch {
    // The answer is known to this process alone: it is used at once, and lost only with the
    // process.
    keepUnsaved(parts, account, { before: authorization, authorization: renewed });
  }
  const end: RenewalEnd = { kind: "renewed", authorization: renewed };
  onUnsaved(end);
  for (const waitMs of saveAgainAfterMs) {
    await pause(parts, waitMs);
    try {
      await alone(parts, { account, lease, work: () => writeUnsaved(parts, account) });
      break;
    } catch {
      if (parts.closing.aborted) break;
    }
  }
  return end;
}

/** Waits; until `close()` at most. */
async function pause({ clock, closing }: AuthParts, ms: number): Promise<void> {
  let cancel: Cancel = () => {};
  const over = new Promise<void>((resolve) => (cancel = clock.schedule(ms, resolve)));
  await untilAborted(over, AbortSignal.any([closing])).catch(() => {});
  cancel();
}

async function fail(
  parts: AuthParts,
  account: Account,
  { authorization, refreshToken, lease, backOff, failure }: Redeeming & { readonly failure: TokenFailure },
): Promise<RenewalEnd> {
  const { trouble, isUnredeemed, retryAfterMs } = failure;
  const isLost = trouble === "dead-grant" && authorization.redeeming !== undefined;
  const error = isLost ? answerLost(failure.error) : failure.error;
  const end: RenewalEnd = trouble === "passing" ? { kind: "failed", error } : { kind: "unrenewable", error };
  if (trouble === "dead-client") account.hints.refusedClientId = authorization.client.clientId;
  // Nothing is known of an answer: the mark stays.
  if (!isUnredeemed) {
    backOff.failed(refreshToken, error, retryAfterMs);
    return end;
  }
  // Without the lock it is somebody else's mark by now.
  if (trouble !== "dead-grant" && lease.aborted) return end;
  const settle = async (): Promise<RenewalEnd> => {
    const document = await readAccount(parts, account);
    const stored = authorizationOf(document, authorization.issuer);
    if (document === undefined || stored === undefined) return end;
    if (!isStill(stored, authorization)) return { kind: "renewed", authorization: stored };
    if (stored.refreshToken === undefined) return end;
    const { redeeming: _mark, refreshToken: _dead, ...rest } = stored;
    // Of somebody who died before it is still not known whether they redeemed it.
    const left = trouble === "dead-grant" ? rest : { ...rest, refreshToken, redeeming: authorization.redeeming };
    await replaceAuthorization(parts, account, { document, authorization: left });
    return end;
  };
  try {
    const settled = await alone(parts, { account, lease, work: settle });
    if (settled.kind !== "renewed") backOff.failed(refreshToken, error, retryAfterMs);
    return settled;
  } catch {
    // The verdict stands, written down or not.
    backOff.failed(refreshToken, error, retryAfterMs);
    return end;
  }
}

/** Under the lock that is held, or under a new one when it was lost. */
function alone<T>({ store }: AuthParts, { account, lease, work }: Alone<T>): Promise<T> {
  return lease.aborted ? store.withLock(accountKey(account), savingMs, work) : work();
}

interface Alone<T> {
  readonly account: Account;
  readonly lease: AbortSignal;
  readonly work: () => Promise<T>;
}

// The mark of somebody who died, and a refresh token that is used up: the evidence for what became
// of it.
function answerLost(error: HostsideError): HostsideError {
  const { code, serverId, outcome, details, rawMessage } = error;
  const why = "an earlier renewal was cut off before its answer was kept";
  return new HostsideError(
    serverId === undefined
      ? `${why}; ${rawMessage}`
      : `${nameServer(serverId)}: ${why}; ${withoutServerName(serverId, rawMessage)}`,
    { code, serverId, outcome, details, cause: error },
  );
}

// Only to tell one attempt from another.
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function notSent({ serverId }: Account, code: "closed" | "overloaded", why: string): HostsideError {
  return new HostsideError(`${why}; nothing was sent`, { code, serverId, outcome: "not-sent" });
}
