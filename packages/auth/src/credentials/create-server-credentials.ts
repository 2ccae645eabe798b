import { type ServerCredentials, redactUrl } from "@hostside/core";
import { untilAborted, clock, quoteText } from "@hostside/core/implement";
import { perAccount, type Account, isProgram, type AuthParts } from "../account.ts";
import { lacksKey, dpopOf, type DpopSigner, challengesNonce } from "../dpop/dpop.ts";
import { signOut } from "../signing-out/sign-out.ts";
import {
  credentialsClosedError,
  authorizationNow,
  forbidden,
  needsUserError,
  programRefused,
  errorOf,
  leftOf,
  renewalFailureOf,
  renewNow,
  discoverAgain,
  whereToSignIn,
} from "./current-authorization.ts";
import { withoutServerName } from "../auth-errors.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import { noteChallenge, readChallenges, coversScopes, joinScopes } from "../discovering/read-challenges.ts";
import { type StoredAuthorization, sameIssuer } from "../accounts/stored-account.ts";
import { readAccount } from "../accounts/account-documents.ts";

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
  const reason = stored === undefined ? undefined : (end.error ?? renewalFailureOf(account));
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

// Tokens that were got because the server refused others, and when.
const renewalsOf = perAccount((): Map<string, number> => new Map());

/**
 * Takes note of a renewal after a refusal: once, for all requests that were refused with the same
 * token.
 */
function noteRenewal(account: Account, { accessToken }: StoredAuthorization): void {
  const renewals = renewalsOf(account);
  if (!renewals.has(accessToken)) renewals.set(accessToken, clock.now());
}

/**
 * Tells whether the server has refused more tokens within a minute than their lives explain. To go
 * on would ask the authorization server with each request, for a server that lets nobody in.
 */
function exceedsRenewalRate(account: Account, { expiresAt, obtainedAt }: StoredAuthorization): boolean {
  const renewals = renewalsOf(account);
  for (const [token, at] of renewals) if (at <= clock.now() - windowMs) renewals.delete(token);
  const lifeMs = expiresAt === undefined ? windowMs : Math.max(1, expiresAt - obtainedAt);
  return renewals.size >= mostInWindow + Math.floor((perLife * windowMs) / Math.max(lifeMs, 100));
}
