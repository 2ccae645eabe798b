import { HostsideError } from "@hostside/core";
import {
  isLoopbackUrl,
  untilAborted,
  createDeadline,
  formatMs,
  isJsonObject,
  settleWithin,
} from "@hostside/core/implement";
import type { Account, AuthParts } from "../account.ts";
import {
  abortError,
  authRequired,
  isNotShown,
  serverError,
  pageNotShownError,
  throwIfAborted,
} from "../auth-errors.ts";
import { becomeClient, clientKey, forgetClient, readClient } from "../clients/become-client.ts";
import { discoverForSignIn, type Discovered } from "../discovering/discover-authorization.ts";
import type { OAuthPrompt, RedirectListener, RedirectReceiver, PromptAnswer } from "../oauth-options.ts";
import type { PendingAuthorization, SignedIn } from "../oauth.ts";
import { readAccount } from "../accounts/account-documents.ts";
import { sameIssuer } from "../accounts/stored-account.ts";
import { chooseScope, assertUsableForUsers, openAuthorization, pendingKey, pendingMs } from "./open-authorization.ts";
import type { AuthorizationCompletion } from "./complete-authorization.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";

/** A request for a sign-in. */
export interface SignInRequest {
  readonly scopes?: readonly string[] | undefined;
  /** The grant is not enough. */
  readonly needsMore?: boolean | undefined;
  /** In place of that of all. */
  readonly prompt?: OAuthPrompt | undefined;
  readonly signal: AbortSignal;
}

/** The parts that sign-ins of a process share. */
export interface Company {
  /**
   * Waits for `complete()` in this process with this `state`. Called right before a page is shown.
   */
  readonly expect: (state: string) => {
    readonly answer: Promise<AuthorizationCompletion>;
    readonly end: () => void;
  };
  readonly redeem: (callbackUrl: URL | string) => Promise<AuthorizationCompletion>;
}

/** The way back for users: to a page of the product's own, or to who listens. */
interface Return {
  readonly page?: string | undefined;
  readonly receiver?: RedirectReceiver | undefined;
  readonly preferred?: string | undefined;
}

/**
 * The first half of a sign-in: finds out where to, becomes a client, and keeps what the answer is
 * redeemed with.
 */
export async function beginAuthorization(
  parts: AuthParts,
  account: Account,
  requested: SignInRequest,
): Promise<PendingAuthorization> {
  const way = returnOf(parts, account);
  if (way.page === undefined) {
    throw unsupported(
      account,
      "begin() needs a page of the product's own that users are sent back to (redirect, or redirectUri of the client)",
    );
  }
  const discovered = await discoverForUsers(parts, account, requested);
  const { pending } = await open(parts, account, { discovered, requested, redirectUri: way.page });
  return pending;
}

/**
 * Signs a user in: shows the page, waits for the answer, redeems it. Twice if the first answer
 * shows that the client is not known any more.
 */
export async function signInUser(
  parts: AuthParts,
  account: Account,
  { requested, company }: { readonly requested: SignInRequest; readonly company: Company },
): Promise<SignedIn> {
  const { prompt = parts.settings.prompt } = requested;
  if (prompt === undefined) {
    throw unsupported(
      account,
      "no prompt callback installed: there is nobody to show the authorization page to; give createOAuth() a prompt, or use begin() and complete()",
    );
  }
  const way = returnOf(parts, account);
  const discovered = await discoverForUsers(parts, account, requested);
  for (let attempt = 1; ; attempt += 1) {
    const { completion, isKept } = await askOnce(parts, account, { requested, company, prompt, way, discovered });
    if (completion.failure === undefined) return completion.signedIn;
    const isWorthIt = completion.isUnknownClient && isKept && attempt === 1;
    if (!isWorthIt) throw completion.failure;
  }
}

interface Attempt {
  readonly requested: SignInRequest;
  readonly company: Company;
  readonly prompt: OAuthPrompt;
  readonly way: Return;
  readonly discovered: Discovered;
}

// `isKept`: whether the client is one of an earlier sign-in.
async function askOnce(parts: AuthParts, account: Account, attempt: Attempt) {
  const { requested, company, prompt, way, discovered } = attempt;
  const { signal } = requested;
  const listener = await listen(parts, account, attempt);
  let isDone = false;
  // Whether it can still be answered, by who opens the page by hand.
  let isOpen = false;
  try {
    const redirectUri = listener?.redirectUri ?? way.page ?? "";
    const { pending, isKept, clientId } = await open(parts, account, { discovered, requested, redirectUri });
    const elsewhere = company.expect(pending.state);
    let isAnswered = false;
    const complete = (callbackUrl: URL | string): Promise<AuthorizationCompletion> => {
      isAnswered = true;
      return company.redeem(callbackUrl);
    };
    const wait = { pending, prompt, listener, elsewhere: elsewhere.answer, complete, signal };
    try {
      const completion = await waitForUser(account, wait);
      isDone = completion.failure === undefined;
      return { completion, isKept };
    } catch (error) {
      isOpen = isNotShown(error);
      // A page from which nobody comes back, or at which the user gives up, may be one that says
      // that the client is not known.
      if (isKept && !isAnswered && !isOpen) {
        await forgetClient(parts, account, { issuer: discovered.issuer, redirectUri, clientId }).catch(() => {});
      }
      if (signal.aborted) throw abortError(signal, account, "signing in");
      throw error;
    } finally {
      elsewhere.end();
      if (!isDone && !isOpen) await parts.store.clear(pendingKey(pending.state)).catch(() => false);
    }
  } finally {
    await listener?.close(isDone ? "signed-in" : "failed").catch(() => {});
  }
}

async function listen(
  parts: AuthParts,
  account: Account,
  { way, discovered, requested }: Attempt,
): Promise<RedirectListener | undefined> {
  if (way.receiver === undefined) return undefined;
  const { serverId, title } = account;
  const { signal } = requested;
  const known = await readClient(parts, account, clientKey(discovered.issuer, undefined));
  const places = { redirectUri: way.preferred, preferredUri: known?.redirectUri };
  const listening = way.receiver.listen({ serverId, title, signal, ...places });
  try {
    const listener = await untilAborted(listening, signal);
    if (way.preferred !== undefined) assertListensAt(account, listener, way.preferred);
    return listener;
  } catch (error) {
    void listening.then((late) => late.close("failed")).catch(() => {});
    if (signal.aborted) throw abortError(signal, account, "signing in");
    throw error;
  }
}

// An authorization server has nobody come to another place than the client is registered with, but
// for the port of an application (RFC 8252, 7.3).
function assertListensAt(account: Account, { redirectUri }: RedirectListener, configured: string): void {
  const [actual, wanted] = [new URL(redirectUri), new URL(configured)];
  const isPort = wanted.port === "" || wanted.port === actual.port;
  if (isPort && wanted.hostname === actual.hostname && wanted.pathname === actual.pathname) return;
  throw authRequired(
    account,
    `its client is registered with the redirect URI ${configured}, and the redirect of createOAuth() listens at ${redirectUri} alone: it has to listen where the client is registered`,
  );
}

async function discoverForUsers(parts: AuthParts, account: Account, { signal }: SignInRequest): Promise<Discovered> {
  const discovered = await discoverForSignIn(parts, account, signal);
  assertUsableForUsers(account, discovered);
  return discovered;
}

async function open(
  parts: AuthParts,
  account: Account,
  {
    discovered,
    requested,
    redirectUri,
  }: { readonly discovered: Discovered; readonly requested: SignInRequest; readonly redirectUri: string },
) {
  const { scopes, needsMore, signal } = requested;
  const stored = await readAccount(parts, account);
  const granted = stored !== undefined && sameIssuer(stored.issuer, discovered.issuer) ? stored.scope : undefined;
  const scope = chooseScope(account, discovered, { scopes, needsMore, granted });
  const { client, isKept } = await becomeClient(parts, account, { discovered, redirectUri, scope, signal });
  const pending = await openAuthorization(parts, account, { discovered, client, redirectUri, scope, signal });
  return { pending, isKept, clientId: client.clientId };
}

function returnOf({ settings }: AuthParts, account: Account): Return {
  const { config } = account;
  const own = "redirectUri" in config ? config.redirectUri : undefined;
  const { receiver, redirectUri } = settings;
  const isListened = receiver !== undefined && (own === undefined || isLoopbackUrl(new URL(own)));
  if (isListened) return { receiver, preferred: own };
  const page = own ?? redirectUri;
  if (page !== undefined) return { page };
  throw unsupported(
    account,
    "there is nowhere to send users back to: give createOAuth() a redirect, such as loopbackRedirect() of @hostside/auth/node",
  );
}

function unsupported(account: Account, text: string): HostsideError {
  return serverError(account, text, { code: "unsupported_operation" });
}

/** A user who is shown a page, and where the answer may come from. */
interface UserPrompt {
  readonly pending: PendingAuthorization;
  readonly prompt: OAuthPrompt;
  /** Absent where the page that users are sent back to is the product's own. */
  readonly listener: RedirectListener | undefined;
  /** The end of a `complete()` in this process. */
  readonly elsewhere: Promise<AuthorizationCompletion>;
  readonly complete: (callbackUrl: URL | string) => Promise<AuthorizationCompletion>;
  readonly signal: AbortSignal;
}

/**
 * Shows a user the page and waits for the first answer: by the listener, by the prompt, or by
 * `complete()`. Rejects when the user does not want to, when the page cannot be shown, when it
 * takes too long, and with the reason of the signal.
 */
async function waitForUser(account: Account, wait: UserPrompt): Promise<AuthorizationCompletion> {
  const { pending, listener, elsewhere, complete, signal } = wait;
  throwIfAborted(signal, account, "signing in");
  const over = new AbortController();
  const deadline = createDeadline({ timeoutMs: pendingMs, signal, onTimeout: () => tooLate(account) });
  // The first answer is redeemed, and no other.
  let redeeming: Promise<AuthorizationCompletion> | undefined;
  const redeem = (callbackUrl: URL | string): Promise<AuthorizationCompletion> => {
    redeeming ??= complete(callbackUrl).then((end) => (end.takenBy === "elsewhere" ? endElsewhere(end) : end));
    return redeeming;
  };
  // It was taken in this process, and its end is on its way; or in another one, or too late.
  const endElsewhere = async (end: AuthorizationCompletion): Promise<AuthorizationCompletion> => {
    await untilAborted(settleWithin(elsewhere, longestAnswerMs), signal);
    return Promise.race([elsewhere, Promise.resolve(end)]);
  };
  try {
    const prompted = ask(account, wait, AbortSignal.any([deadline.signal, over.signal]));
    const answers: Promise<AuthorizationCompletion>[] = [
      elsewhere,
      prompted.then((url) => (url === undefined ? never() : redeem(url))),
    ];
    if (listener !== undefined) answers.push(listener.receive(pending.state).then(redeem));
    return await untilAborted(Promise.race(answers), deadline.signal);
  } catch (error) {
    // What is being redeemed is of more worth than what went wrong meanwhile.
    if (redeeming !== undefined && !signal.aborted) return await untilAborted(redeeming, signal);
    throw error;
  } finally {
    deadline.dispose();
    over.abort(new HostsideError("the sign-in has ended", { code: "aborted", serverId: account.serverId }));
  }
}

// Resolves to the URL that the user was sent back to, if the prompt has it; to nothing when the
// answer comes by another way.
async function ask(
  account: Account,
  { prompt, pending }: UserPrompt,
  signal: AbortSignal,
): Promise<URL | string | undefined> {
  const { serverId, title, principal } = account;
  let answer: PromptAnswer;
  try {
    answer = await prompt({ serverId, title, principal, url: new URL(pending.url), signal });
  } catch (error) {
    // An end that comes from here is no failure of the prompt's.
    if (signal.aborted) return never();
    throw pageNotShownError(account, pending.url, error);
  }
  if (answer === "completed") return undefined;
  if (answer === "cancelled") {
    const details = { reason: "declined" } as const;
    throw authRequired(account, "the user cancelled the sign-in; nothing has changed", { details });
  }
  const given: unknown = answer;
  const callbackUrl: unknown = isJsonObject(given) ? given["callbackUrl"] : undefined;
  if (typeof callbackUrl === "string" || callbackUrl instanceof URL) return callbackUrl;
  throw new HostsideError('the prompt answered neither "completed" nor "cancelled" nor a callbackUrl', {
    code: "internal_error",
    serverId,
    outcome: "not-sent",
  });
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}

function tooLate(account: Account): HostsideError {
  return authRequired(account, `the user did not come back from the authorization page within ${formatMs(pendingMs)}`, {
    details: { timeoutMs: pendingMs, reason: "no-answer" },
  });
}
