import { type ServerCredentials, redactUrl, isHostsideError, type HostsideError } from "@hostside/core";
import { untilAborted, clock, quoteText } from "@hostside/core/implement";
import { perAccount, type Account, isProgram, type AuthParts } from "../account.ts";
import { readAccount, hasUnsaved, heldAuthorization, keepHeld, saveUnsaved } from "../accounts/account-documents.ts";
import { type StoredAuthorization, sameIssuer, tokenExpiryOf, type TokenExpiry } from "../accounts/stored-account.ts";
import { withoutServerName, authRequired, safeExcerptOf, serverError, type TroubleExtras } from "../auth-errors.ts";
import { type Discovered, discoverAuthorization } from "../discovering/discover-authorization.ts";
import { noteChallenge, readChallenges, coversScopes, joinScopes } from "../discovering/read-challenges.ts";
import { lacksKey, dpopOf, type DpopSigner, challengesNonce } from "../dpop/dpop.ts";
import { requestGrant } from "../grants/request-grant.ts";
import { signOut } from "../signing-out/sign-out.ts";
import { BackOff, isHostsOwn } from "../tokens/back-off.ts";
import { type RenewalEnd, isRenewalIdle, isRenewing, renew, type RenewalRequest } from "../tokens/renew.ts";

const made = perAccount((): { credentials?: ServerCredentials } => ({}));

/**
 * The credentials of an account: the same for all its connections, so that what one of them was
 * refused can be asked for on another.
 */
export function serverCredentialsOf(parts: AuthParts, account: Account): ServerCredentials {
  const known = made(account);
  known.credentials ??= createServerCredentials(parts, account);
  return known.credentials;
}

/** Makes the credentials of an account. */
export function createServerCredentials(parts: AuthParts, account: Account): ServerCredentials {
  let signer: DpopSigner | undefined;
  const assertOpen = (): void => {
    if (parts.closing.aborted) throw credentialsClosedError(account);
  };
  return {
    async headersFor(request) {
      assertOpen();
      // Tokens are for that server alone, wherever it would have the connector send a request.
      if (request.url.origin !== account.serverUrl.origin) return {};
      const authorization = await authorizationNow(parts, account);
      if (authorization === undefined || lacksKey(account, authorization)) return {};
      const { accessToken, tokenType } = authorization;
      if (tokenType !== "DPoP") return { authorization: `Bearer ${accessToken}` };
      signer = await dpopOf(account, authorization);
      return { authorization: `DPoP ${accessToken}`, dpop: await signer.proofFor(request, accessToken) };
    },
    async onRefused(refusal) {
      assertOpen();
      // Whoever stops waiting stops only that.
      await untilAborted(answerRefusal(parts, account, refusal), refusal.signal);
    },
    onAnswered(request, header) {
      signer?.onAnswered(request, header);
    },
    async clear() {
      await signOut(parts, account);
    },
  };
}

type CredentialsRefusal = Parameters<ServerCredentials["onRefused"]>[0];

/**
 * Gets other credentials after a refusal. Resolves when there are some; else rejects as `onRefused`
 * says.
 */
function answerRefusal(parts: AuthParts, account: Account, refusal: CredentialsRefusal): Promise<void> {
  noteChallenge(account, refusal.challenge);
  return refusal.status === 401 ? answer401(parts, account, refusal) : answer403(parts, account, refusal);
}

async function answer401(parts: AuthParts, account: Account, refusal: CredentialsRefusal): Promise<void> {
  const stored = await readAccount(parts, account);
  const sent = sentToken(refusal);
  if (stored !== undefined && lacksKey(account, stored)) return bindToken(parts, account, { refusal, stored });
  if (stored !== undefined) {
    if (challengesNonce(refusal.challenge) && sent === stored.accessToken && stored.dpopKey !== undefined) {
      const signer = await dpopOf(account, stored);
      if (await signer.hasNewNonce(refusal.request, refusal.sent)) return;
    }
    const left = leftOf(stored);
    // Somebody else got another one since.
    if (stored.accessToken !== sent && left !== "over") return;
    // A living token is refused when the server has moved to another authorization server: the old
    // one would go on renewing it.
    if (left !== "over" && (await moveOn(parts, account, { refusal, stored }))) return;
    if (left !== "over" && exceedsRenewalRate(account, stored)) {
      return signIn(parts, account, { refusal, why: "it refuses whatever token was got for it", needsMore: false });
    }
  }
  const mustBind = account.hints.dpop && stored?.tokenType === "Bearer" && account.config.dpop !== false;
  if (mustBind && !isProgram(account)) {
    return signIn(parts, account, { refusal, why: "it wants tokens that are bound to a key (DPoP)", needsMore: false });
  }
  if (isProgram(account)) await whereToSignIn(parts, account, { signal: refusal.signal, anew: true });
  const end = await renewNow(parts, account, { unwanted: { accessToken: sent, isRefused: true } });
  if (end.kind === "renewed") {
    if (sent !== undefined) noteRenewal(account, end.authorization);
    return;
  }
  // An authorization server that is gone may have been replaced.
  if (stored !== undefined && end.kind === "failed" && (await moveOn(parts, account, { refusal, stored }))) return;
  const isAnswered = end.kind === "unrenewable" && (end.error === undefined || end.error.code === "auth_required");
  if (!isAnswered || isProgram(account)) throw errorOf(account, end);
  const reason = stored === undefined ? undefined : (end.error ?? renewalsOf(account).failure);
  const why = stored === undefined ? "nobody is signed in" : "the sign-in has ended";
  await signIn(parts, account, { refusal, why, needsMore: false, reason });
}

/** In place of a token that anybody can use. */
async function bindToken(parts: AuthParts, account: Account, { refusal, stored }: Moving): Promise<void> {
  if (!isProgram(account)) {
    const why =
      "its client is configured for tokens that are bound to a key (`dpop: true`), and the one that is kept is not";
    return signIn(parts, account, { refusal, why, needsMore: false });
  }
  const end = await renewNow(parts, account, { unwanted: { accessToken: stored.accessToken, isRefused: true } });
  if (end.kind !== "renewed") throw errorOf(account, end);
}

async function answer403(parts: AuthParts, account: Account, refusal: CredentialsRefusal): Promise<void> {
  const { challenge } = refusal;
  const challenges = readChallenges(challenge);
  if (!challenges.some(({ parameters }) => parameters.get("error") === "insufficient_scope")) {
    const where = `HTTP 403 from ${redactUrl(refusal.request.url.href)}`;
    const why =
      sentToken(refusal) === undefined
        ? "it refuses the request, and asks for no sign-in; look at what stands in front of the server, and who it lets in"
        : "the access that was granted does not allow that";
    throw forbidden(account, challenge, `${where}: ${why}`);
  }
  const stored = await readAccount(parts, account);
  if (stored !== undefined && stored.accessToken !== sentToken(refusal) && leftOf(stored) !== "over") return;
  const needed = joinScopes(...challenges.map(({ parameters }) => parameters.get("scope")));
  const { scopes } = account.config;
  if (needed === undefined || coversScopes(stored?.scope, needed)) {
    const what = needed === undefined ? "" : `: the scope ${quoteText(needed)}`;
    throw forbidden(account, challenge, `it wants more access than it says, or than it was given${what}`);
  }
  const missingScopes = needed.split(" ").filter((scope) => !coversScopes(stored?.scope, scope));
  const missing = `the scope ${quoteText(missingScopes.join(" "))} is missing`;
  if (scopes !== undefined && !coversScopes(scopes.join(" "), needed)) {
    throw forbidden(account, challenge, `${missing}, which the client is configured not to ask for`);
  }
  // For the next sign-in, whoever begins it: what is granted already is asked for again, lest it be
  // lost (SEP-2350).
  account.hints.scope = joinScopes(account.hints.scope, stored?.scope, needed);
  if (!isProgram(account)) {
    const why = `the access that was granted is not enough: ${missing}`;
    return signIn(parts, account, { refusal, why, needsMore: true, missingScopes });
  }
  if (stored !== undefined && exceedsRenewalRate(account, stored)) {
    throw forbidden(account, challenge, "it wants more access whatever is granted");
  }
  const unwanted = { accessToken: sentToken(refusal), isRefused: true };
  const end = await renewNow(parts, account, { unwanted, scope: account.hints.scope });
  if (end.kind !== "renewed") throw errorOf(account, end);
  noteRenewal(account, end.authorization);
}

interface Moving {
  readonly refusal: CredentialsRefusal;
  readonly stored: StoredAuthorization;
}

/**
 * Tells whether the server names another authorization server than the one whose token it refused,
 * and the user has signed in there now.
 */
async function moveOn(parts: AuthParts, account: Account, { refusal, stored }: Moving): Promise<boolean> {
  // Those who sign in as programs find out anew in any case, and it is seen to there that no secret
  // goes to another issuer.
  if (isProgram(account)) return false;
  let discovered: Discovered;
  try {
    discovered = await discoverAgain(parts, account, refusal.signal);
  } catch {
    // What cannot be found out now changes nothing.
    return false;
  }
  if (sameIssuer(discovered.issuer, stored.issuer)) return false;
  await signIn(parts, account, { refusal, why: "it has moved to another authorization server", needsMore: false });
  return true;
}

interface SignIn {
  readonly refusal: CredentialsRefusal;
  readonly why: string;
  readonly needsMore: boolean;
  readonly reason?: unknown;
  readonly missingScopes?: readonly string[];
}

async function signIn(
  parts: AuthParts,
  account: Account,
  { refusal, why, needsMore, reason, missingScopes }: SignIn,
): Promise<void> {
  const said =
    reason instanceof Error && "rawMessage" in reason
      ? `${why} (${withoutServerName(account.serverId, String(reason.rawMessage))})`
      : why;
  if (isProgram(account)) throw programRefused(account, said, reason);
  if (!refusal.interactive || parts.settings.prompt === undefined) {
    throw needsUserError(account, said, { cause: reason, details: missingScopes && { missingScopes } });
  }
  await parts.signInAfterRefusal(account, { needsMore, signal: refusal.signal });
}

function sentToken({ sent }: CredentialsRefusal): string | undefined {
  return sent["authorization"]?.replace(/^\S+\s+/, "");
}

const windowMs = 60_000;
/** Tokens are revoked now and then. */
const mostInWindow = 3;
/** Some end earlier than their answer said, by as much as a second. */
const perLife = 2;

/**
 * Takes note of a renewal after a refusal: once, for all requests that were refused with the same
 * token.
 */
function noteRenewal(account: Account, { accessToken }: StoredAuthorization): void {
  const { tokens } = renewalsOf(account);
  if (!tokens.has(accessToken)) tokens.set(accessToken, clock.now());
}

/**
 * Tells whether the server has refused more tokens within a minute than their lives explain. To go
 * on would ask the authorization server with each request, for a server that lets nobody in.
 */
function exceedsRenewalRate(account: Account, { expiresAt, obtainedAt }: StoredAuthorization): boolean {
  const { tokens } = renewalsOf(account);
  for (const [token, at] of tokens) if (at <= clock.now() - windowMs) tokens.delete(token);
  const lifeMs = expiresAt === undefined ? windowMs : Math.max(1, expiresAt - obtainedAt);
  return tokens.size >= mostInWindow + Math.floor((perLife * windowMs) / Math.max(lifeMs, 100));
}

/** The time after which a process sees that another one signed in or out. */
const readAgainAfterMs = 10_000;

interface Renewals {
  /** Tokens that were obtained because the server refused others, and the time of each. */
  readonly tokens: Map<string, number>;
  /** The reason that nothing is left to renew with, for the user who has to sign in. */
  failure?: HostsideError | undefined;
  /** One read for all requests that come together. */
  reading?: Promise<StoredAuthorization | undefined> | undefined;
}

const renewalsOf = perAccount((): Renewals => ({ tokens: new Map() }));

/**
 * The authorization to send a request with now; `undefined` when there is none. An authorization
 * that expires soon is renewed in the background. The renewal of an expired one is awaited. Rejects
 * when it cannot be renewed for a passing reason and is over, and with `store_failed`.
 */
async function authorizationNow(parts: AuthParts, account: Account): Promise<StoredAuthorization | undefined> {
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
function leftOf(authorization: StoredAuthorization): TokenExpiry {
  return tokenExpiryOf(authorization, clock.date());
}

interface Renewal extends Pick<RenewalRequest, "unwanted"> {
  /** The scope to ask for, of programs alone. */
  readonly scope?: string | undefined;
}

/** Gets another token, by a refresh token, or anew for a program. */
async function renewNow(parts: AuthParts, account: Account, { unwanted, scope }: Renewal): Promise<RenewalEnd> {
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
function errorOf(account: Account, end: RenewalEnd): unknown {
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
function needsUserError(account: Account, why: string, extras: TroubleExtras = {}): HostsideError {
  const { serverId, principal, hasPrompt } = account;
  const who =
    principal === undefined ? quoteText(serverId) : `${quoteText(serverId)}, { principal: ${quoteText(principal)} }`;
  const what = hasPrompt
    ? `call authorize(${who}), or offer its authenticate tool`
    : `send the user to the URL of oauth.begin(${who}), which conversation.signIns() lists as well, or offer its authenticate tool`;
  return authRequired(account, `${why}; a user has to sign in: ${what}`, extras);
}

/** No user can help: the program that signs in has to be let in, or configured otherwise. */
function programRefused(account: Account, why: string, cause?: unknown): HostsideError {
  return authRequired(account, `${why}; look at the client that is configured for it`, { cause });
}

/** The server does not let them do that, and no sign-in changes it. */
function forbidden(account: Account, challenge: string | undefined, why: string): HostsideError {
  const said = challenge === undefined ? {} : { challenge: safeExcerptOf(account, challenge, longestChallenge) };
  return serverError(account, why, { code: "forbidden", details: { httpStatus: 403, ...said } });
}

/** After `close()`. */
function credentialsClosedError(account: Account): HostsideError {
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
function discoverAgain(parts: AuthParts, account: Account, signal?: AbortSignal): Promise<Discovered> {
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
async function whereToSignIn(
  parts: AuthParts,
  account: Account,
  { signal, anew = false }: { readonly signal?: AbortSignal; readonly anew?: boolean } = {},
): Promise<Discovered> {
  const discoveries = discoveriesOf(account);
  if (discoveries.program !== undefined && !anew) return discoveries.program;
  discoveries.program = await discoverAgain(parts, account, signal);
  return discoveries.program;
}
