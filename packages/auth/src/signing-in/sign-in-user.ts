import { HostsideError } from "@hostside/core";
import { isLoopbackUrl, untilAborted, createDeadline, formatMs, settleWithin } from "@hostside/core/implement";
import { isProgram, type Account, type AuthParts } from "../account.ts";
import {
  abortError,
  authRequired,
  isNotShown,
  serverError,
  pageNotShownError,
  throwIfAborted,
} from "../auth-errors.ts";
import { clientKey, forgetClient, readClient } from "../clients/become-client.ts";
import type { Discovered } from "../discovering/discover-authorization.ts";
import type { OAuthPrompt, RedirectListener, RedirectReceiver, PromptAnswer } from "../oauth-options.ts";
import type { PendingAuthorization, SignedIn } from "../oauth.ts";
import { discoverForUsers, openAuthorization, pendingKey, pendingMs, type ScopeRequest } from "./open-authorization.ts";
import type { AuthorizationCompletion } from "./complete-authorization.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";

/** A request for a sign-in. */
export interface SignInRequest extends ScopeRequest {
  /** In place of that of all. */
  readonly prompt?: OAuthPrompt | undefined;
  /** Called right before a page is shown. */
  readonly onShown?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** The parts that sign-ins of a process share. */
export interface Company {
  /**
   * Waits for `complete()` in this process with this `state`.
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
  if (isProgram(account)) {
    const text = `it is not configured for the OAuth authorization_code flow, but for ${account.config.flow}`;
    throw unsupported(account, `${text}; authorize() signs in without a user`);
  }
  const { page: redirectUri } = returnOf(parts, account);
  if (redirectUri === undefined) {
    throw unsupported(
      account,
      "begin() needs a page of the product's own that users are sent back to (redirect, or redirectUri of the client)",
    );
  }
  const discovered = await discoverForUsers(parts, account, requested.signal);
  const { pending } = await openAuthorization(parts, account, { ...requested, discovered, redirectUri });
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
  const discovered = await discoverForUsers(parts, account, requested.signal);
  for (let attempt = 1; ; attempt += 1) {
    const { completion, isKept } = await askOnce(parts, account, { requested, company, prompt, way, discovered });
    if (completion.failure === undefined) return completion.signedIn;
    if (completion.isUnknownClient !== true || !isKept || attempt > 1) throw completion.failure;
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
    const opened = await openAuthorization(parts, account, { ...requested, discovered, redirectUri });
    const { pending, isKept, clientId } = opened;
    requested.onShown?.();
    const elsewhere = company.expect(pending.state);
    let isAnswered = false;
    const complete = (callbackUrl: URL | string): Promise<AuthorizationCompletion> => {
      isAnswered = true;
      return company.redeem(callbackUrl);
    };
    const wait = { pending, prompt, listener, elsewhere: elsewhere.answer, complete };
    try {
      const completion = await waitForUser(account, wait, signal);
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
    return await untilAborted(listening, signal);
  } catch (error) {
    void listening.then((late) => late.close("failed")).catch(() => {});
    if (signal.aborted) throw abortError(signal, account, "signing in");
    throw error;
  }
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
interface UserPrompt extends Pick<Attempt, "prompt"> {
  readonly pending: PendingAuthorization;
  /** Absent where the page that users are sent back to is the product's own. */
  readonly listener: RedirectListener | undefined;
  /** The end of a `complete()` in this process. */
  readonly elsewhere: Promise<AuthorizationCompletion>;
  readonly complete: Company["redeem"];
}

/**
 * Shows a user the page and waits for the first answer: by the listener, by the prompt, or by
 * `complete()`. Rejects when the user does not want to, when the page cannot be shown, when it
 * takes too long, and with the reason of the signal.
 */
async function waitForUser(account: Account, wait: UserPrompt, signal: AbortSignal): Promise<AuthorizationCompletion> {
  const { pending, listener, elsewhere, complete } = wait;
  throwIfAborted(signal, account, "signing in");
  const over = new AbortController();
  const onTimeout = (): HostsideError => {
    const late = `the user did not come back from the authorization page within ${formatMs(pendingMs)}`;
    return authRequired(account, late, { details: { timeoutMs: pendingMs, reason: "no-answer" } });
  };
  const deadline = createDeadline({ timeoutMs: pendingMs, signal, onTimeout });
  // The first answer is redeemed, and no other.
  let redeeming: Promise<AuthorizationCompletion> | undefined;
  const redeem = (callbackUrl: URL | string): Promise<AuthorizationCompletion> => {
    redeeming ??= complete(callbackUrl).then(async (end) => {
      if (end.takenBy !== "elsewhere") return end;
      // It was taken in this process, and its end is on its way; or in another one, or too late.
      await untilAborted(settleWithin(elsewhere, longestAnswerMs), signal);
      return Promise.race([elsewhere, Promise.resolve(end)]);
    });
    return redeeming;
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
  return answer.callbackUrl;
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
