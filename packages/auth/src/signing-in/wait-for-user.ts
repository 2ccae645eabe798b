import { HostsideError, isHostsideError } from "@hostside/core";
import { clock, formatMs, isJsonObject } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, pageNotShownError, throwIfAborted } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { OAuthPrompt, PromptAnswer, RedirectListener } from "../oauth-options.ts";
import type { PendingAuthorization } from "../oauth.ts";
import type { AuthorizationCompletion } from "./complete-authorization.ts";
import { pendingMs, pendingKey } from "./pending-documents.ts";
import { readAccount } from "../accounts/account-documents.ts";
import { authorizationOf, toSignedIn } from "../accounts/authorizations.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";

/** A user who is shown a page, and where the answer may come from. */
export interface UserPrompt {
  readonly pending: PendingAuthorization;
  readonly prompt: OAuthPrompt;
  /** Absent where the page that users are sent back to is the product's own. */
  readonly listener: RedirectListener | undefined;
  readonly elsewhere: Promise<AuthorizationCompletion>;
  readonly complete: (callbackUrl: URL | string) => Promise<AuthorizationCompletion>;
  /** What comes of an answer that another process takes. */
  readonly watch: (signal: AbortSignal) => Promise<AuthorizationCompletion>;
  readonly signal: AbortSignal;
}

/**
 * Shows a user the page and waits for the answer, by whichever way it comes first: the listener,
 * the prompt, `complete()` here or in another process. Rejects when the user does not want to, when
 * the page cannot be shown, when it takes too long, and with the reason of the signal.
 */
export async function waitForUser(account: Account, wait: UserPrompt): Promise<AuthorizationCompletion> {
  const { pending, listener, elsewhere, complete, watch, signal } = wait;
  throwIfAborted(signal, account, "signing in");
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  // The first answer is redeemed, and no other.
  let redeeming: Promise<AuthorizationCompletion> | undefined;
  const watched = watch(ended);
  const redeem = (callbackUrl: URL | string): Promise<AuthorizationCompletion> => {
    redeeming ??= complete(callbackUrl).then((end) =>
      end.takenBy === "elsewhere" ? Promise.race([elsewhere, watched]) : end,
    );
    return redeeming;
  };
  const cancels: (() => void)[] = [];
  try {
    const answers: Promise<AuthorizationCompletion>[] = [
      elsewhere,
      watched,
      ask(account, wait, ended).then((url) => (url === undefined ? never() : redeem(url))),
      new Promise<never>((_resolve, reject) => {
        const onAbort = (): void => reject(signal.reason as Error);
        signal.addEventListener("abort", onAbort, { once: true });
        cancels.push(() => signal.removeEventListener("abort", onAbort));
        cancels.push(clock.schedule(pendingMs, () => reject(tooLate(account))));
      }),
    ];
    if (listener !== undefined) answers.push(listener.receive(pending.state).then(redeem));
    return await Promise.race(answers);
  } catch (error) {
    // What is being redeemed is of more worth than what went wrong meanwhile.
    if (redeeming !== undefined && !signal.aborted) return await redeeming;
    throw error;
  } finally {
    for (const cancel of cancels) cancel();
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
  const callbackUrl = isJsonObject(given) ? given["callbackUrl"] : undefined;
  if (typeof callbackUrl === "string" || isUrl(callbackUrl)) return callbackUrl;
  throw new HostsideError('the prompt answered neither "completed" nor "cancelled" nor a callbackUrl', {
    code: "internal_error",
    serverId,
    outcome: "not-sent",
  });
}

function isUrl(value: unknown): value is URL {
  return value instanceof URL;
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}

function tooLate(account: Account): HostsideError {
  return authRequired(account, `the user did not come back from the authorization page within ${formatMs(pendingMs)}`, {
    details: { timeoutMs: pendingMs, reason: "no-answer" },
  });
}

/** What another process that shares the store may complete. */
export interface Watched {
  readonly state: string;
  readonly issuer: string;
  /** The access token that there was before. */
  readonly before: string | undefined;
  readonly signal: AbortSignal;
}

const lookMs = 2000;
// For the answer of the authorization server, and for saving it.
const longestTakenMs = longestAnswerMs + 20_000;

/**
 * Looks at the store every two seconds for the end of a sign-in that another process completes.
 * Resolves to it, to a failure when the answer was taken and no tokens come of it within a minute,
 * and never when nobody takes it. Rejects with the reason of the signal.
 */
export async function watchStore(
  parts: AuthParts,
  account: Account,
  { state, issuer, before, signal }: Watched,
): Promise<AuthorizationCompletion> {
  const { store } = parts;
  let takenAt: number | undefined;
  for (;;) {
    await nextLook(signal);
    try {
      if ((await store.load(pendingKey(state))) !== undefined) continue;
      const now = authorizationOf(await readAccount(parts, account), issuer);
      signal.throwIfAborted();
      if (now !== undefined && now.accessToken !== before) {
        return { signedIn: toSignedIn(account, now), takenBy: "elsewhere" };
      }
    } catch (error) {
      // A store that is away for a moment says nothing about the user.
      if (!signal.aborted && isHostsideError(error)) continue;
      throw error;
    }
    takenAt ??= clock.now();
    if (clock.now() - takenAt >= longestTakenMs) return nothingCame(account);
  }
}

function nextLook(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const cancel = clock.schedule(lookMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

function nothingCame(account: Account): AuthorizationCompletion {
  const failure = authRequired(
    account,
    "another process that shares the store took the answer or cancelled, and no tokens came of it; sign in again",
  );
  return { failure, takenBy: "elsewhere", isUnknownClient: false };
}
