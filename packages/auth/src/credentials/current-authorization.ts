import { isHostsideError, type HostsideError } from "@hostside/core";
import { clock, quoteText, untilAborted } from "@hostside/core/implement";
import { withoutServerName, authRequired, safeExcerptOf, serverError, type TroubleExtras } from "../auth-errors.ts";
import { isProgram, perAccount, type Account, type AuthParts } from "../account.ts";
import { type StoredAuthorization, tokenExpiryOf, type TokenExpiry } from "../accounts/stored-account.ts";
import { requestGrant } from "../grants/request-grant.ts";
import { hasUnsaved, heldAuthorization, keepHeld, readAccount, saveUnsaved } from "../accounts/account-documents.ts";
import { type RenewalEnd, isRenewalIdle, isRenewing, renew, type RenewalRequest } from "../tokens/renew.ts";
import { discoverAuthorization, type Discovered } from "../discovering/discover-authorization.ts";
import { BackOff, isHostsOwn } from "../tokens/back-off.ts";

/** The time after which a process sees that another one signed in or out. */
const readAgainAfterMs = 10_000;

interface Renewals {
  /** The reason that nothing is left to renew with, for the user who has to sign in. */
  failure?: HostsideError | undefined;
  /** One read for all requests that come together. */
  reading?: Promise<StoredAuthorization | undefined> | undefined;
}

const renewalsOf = perAccount((): Renewals => ({}));

/** The reason of the latest renewal that a user has to act. */
export function renewalFailureOf(account: Account): unknown {
  return renewalsOf(account).failure;
}

/**
 * The authorization to send a request with now; `undefined` when there is none. An authorization
 * that expires soon is renewed in the background. The renewal of an expired one is awaited. Rejects
 * when it cannot be renewed for a passing reason and is over, and with `store_failed`.
 */
export async function authorizationNow(parts: AuthParts, account: Account): Promise<StoredAuthorization | undefined> {
  const authorization = await recentAuthorization(parts, account);
  if (authorization === undefined) return isProgram(account) ? firstOf(parts, account) : undefined;
  const left = leftOf(authorization);
  // Another process is renewing it, or died while they did: then it is used as long as it lives.
  const isLeft = left !== "over" && authorization.redeeming !== undefined && !isRenewing(account);
  if (left === "fresh" || isLeft) return authorization;
  if (left === "due") {
    renewInBackground(parts, account, authorization);
    return authorization;
  }
  let end: RenewalEnd;
  try {
    end = await renewNow(parts, account, { unwanted: { accessToken: authorization.accessToken, isRefused: false } });
  } catch (error) {
    if (leftOf(authorization) === "over" || parts.closing.aborted) throw error;
    return authorization;
  }
  if (end.kind === "renewed") return end.authorization;
  if (end.kind === "failed" && leftOf(authorization) === "over") throw end.error;
  // Signed out meanwhile; or nothing can be done, and the server's own word about the old token
  // says what is next.
  return heldAuthorization(account)?.authorization;
}

/** Says how much of an authorization's life is left. */
export function leftOf(authorization: StoredAuthorization): TokenExpiry {
  return tokenExpiryOf(authorization, clock.date());
}

interface Renewal extends Pick<RenewalRequest, "unwanted"> {
  /** The scope to ask for, of programs alone. */
  readonly scope?: string | undefined;
}

/** Gets another token, by a refresh token, or anew for a program. */
export async function renewNow(parts: AuthParts, account: Account, { unwanted, scope }: Renewal): Promise<RenewalEnd> {
  let obtain: RenewalRequest["obtain"];
  if (isProgram(account)) {
    const server = await whereToSignIn(parts, account);
    // A signal of its own: Node warns of one that has a listener for each of many accounts.
    const grant = { server, scope, refused: unwanted.accessToken, signal: AbortSignal.any([parts.closing]) };
    obtain = () => requestGrant(parts, account, grant);
  }
  const end = await renew(parts, account, { unwanted, obtain });
  if (end.kind === "renewed") renewalsOf(account).failure = undefined;
  else if (end.kind === "unrenewable" && end.error !== undefined) renewalsOf(account).failure = end.error;
  return end;
}

async function recentAuthorization(parts: AuthParts, account: Account): Promise<StoredAuthorization | undefined> {
  const held = heldAuthorization(account);
  if (held !== undefined && clock.now() - held.readAt < readAgainAfterMs) return held.authorization;
  if (hasUnsaved(account)) saveUnsaved(parts, account).catch(() => {});
  try {
    const renewals = renewalsOf(account);
    renewals.reading ??= readAccount(parts, account).finally(() => (renewals.reading = undefined));
    return await renewals.reading;
  } catch (error) {
    // A store that is away for a while cuts off nobody whose token still lives, nor has each
    // request wait for it.
    const authorization = held?.authorization;
    if (authorization === undefined || leftOf(authorization) === "over") throw error;
    return keepHeld(account);
  }
}

async function firstOf(parts: AuthParts, account: Account): Promise<StoredAuthorization | undefined> {
  try {
    await whereToSignIn(parts, account);
  } catch (error) {
    // The server's refusal may say where its metadata are.
    if (isHostsideError(error, "auth_required")) return undefined;
    throw error;
  }
  const end = await renewNow(parts, account, { unwanted: { accessToken: undefined, isRefused: false } });
  if (end.kind === "renewed") return end.authorization;
  throw errorOf(account, end);
}

/** Makes the error of a renewal for the request that wanted a token. */
export function errorOf(account: Account, end: RenewalEnd): unknown {
  if (end.kind === "failed") return end.error;
  const cause = end.kind === "unrenewable" ? end.error : undefined;
  if (cause !== undefined && cause.code !== "auth_required") return cause;
  const why = cause === undefined ? "nobody is signed in" : withoutServerName(account.serverId, cause.rawMessage);
  return isProgram(account) ? programRefused(account, why, cause) : needsUserError(account, why, { cause });
}

function renewInBackground(parts: AuthParts, account: Account, authorization: StoredAuthorization): void {
  if (!isRenewalIdle(account, authorization) || parts.closing.aborted) return;
  const { accessToken } = authorization;
  // Whoever needs the token once it is over hears what is wrong.
  renewNow(parts, account, { unwanted: { accessToken, isRefused: false } }).catch(() => {});
}

// Room for a URL of metadata and a list of scopes.
const longestChallenge = 2048;

/** A user has to act, and none is asked: what is wrong, and what to do. */
export function needsUserError(account: Account, why: string, extras: TroubleExtras = {}): HostsideError {
  const { serverId, principal, hasPrompt } = account;
  const who =
    principal === undefined ? quoteText(serverId) : `${quoteText(serverId)}, { principal: ${quoteText(principal)} }`;
  const what = hasPrompt
    ? `call authorize(${who}), or offer its authenticate tool`
    : `send the user to the URL of oauth.begin(${who}), which conversation.signIns() lists as well, or offer its authenticate tool`;
  return authRequired(account, `${why}; a user has to sign in: ${what}`, extras);
}

/** No user can help: the program that signs in has to be let in, or configured otherwise. */
export function programRefused(account: Account, why: string, cause?: unknown): HostsideError {
  return authRequired(account, `${why}; look at the client that is configured for it`, { cause });
}

/** The server does not let them do that, and no sign-in changes it. */
export function forbidden(account: Account, challenge: string | undefined, why: string): HostsideError {
  const said = challenge === undefined ? {} : { challenge: safeExcerptOf(account, challenge, longestChallenge) };
  return serverError(account, why, { code: "forbidden", details: { httpStatus: 403, ...said } });
}

/** After `close()`. */
export function credentialsClosedError(account: Account): HostsideError {
  return serverError(account, "its credentials were closed", { code: "closed" });
}

interface Discoveries {
  running?: Promise<Discovered> | undefined;
  latest?: { readonly place: string; readonly discovered: Discovered; readonly at: number };
  /** The place where a program signs in: found out anew only when its tokens are refused. */
  program?: Discovered;
  readonly backOff: BackOff;
}

/** So soon it is seen that a server has moved to another authorization server. */
const countsForMs = 10_000;

const discoveriesOf = perAccount((): Discoveries => ({ backOff: new BackOff() }));

/**
 * Finds out where a server that refused a request has its users sign in. Requests are refused a
 * hundred at a time, and servers are out of order for hours: one finds out for all, what was found
 * counts for 10 s, and after a failure nobody is asked for a while. Ends with `close()`; `signal`
 * ends the wait alone.
 */
export function discoverAgain(parts: AuthParts, account: Account, signal?: AbortSignal): Promise<Discovered> {
  const discoveries = discoveriesOf(account);
  discoveries.running ??= discover(parts, account, discoveries).finally(() => (discoveries.running = undefined));
  return signal === undefined ? discoveries.running : untilAborted(discoveries.running, signal);
}

async function discover(parts: AuthParts, account: Account, discoveries: Discoveries): Promise<Discovered> {
  const { backOff, latest } = discoveries;
  // A refusal can name another place to look at.
  const place = account.hints.metadataUrl ?? "";
  if (latest?.place === place && clock.now() - latest.at < countsForMs) return latest.discovered;
  const failure = backOff.current(place);
  if (failure !== undefined) throw failure;
  try {
    const discovered = await discoverAuthorization(account, parts, { signal: parts.closing });
    backOff.succeeded();
    discoveries.latest = { place, discovered, at: clock.now() };
    return discovered;
  } catch (error) {
    if (isHostsideError(error) && !isHostsOwn(error)) {
      backOff.failed(place, error);
    }
    throw error;
  }
}

/** Finds the place to sign in, as this process found it out last. */
export async function whereToSignIn(
  parts: AuthParts,
  account: Account,
  { signal, anew = false }: { readonly signal?: AbortSignal; readonly anew?: boolean } = {},
): Promise<Discovered> {
  const discoveries = discoveriesOf(account);
  if (discoveries.program !== undefined && !anew) return discoveries.program;
  discoveries.program = await discoverAgain(parts, account, signal);
  return discoveries.program;
}
