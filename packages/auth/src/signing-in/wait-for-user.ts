import { HostsideError } from "@hostside/core";
import { createDeadline, formatMs, isJsonObject, settleWithin, untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired, pageNotShownError, throwIfAborted } from "../auth-errors.ts";
import type { OAuthPrompt, PromptAnswer, RedirectListener } from "../oauth-options.ts";
import type { PendingAuthorization } from "../oauth.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";
import type { AuthorizationCompletion } from "./complete-authorization.ts";
import { pendingMs } from "./pending-documents.ts";

/** A user who is shown a page, and where the answer may come from. */
export interface UserPrompt {
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
export async function waitForUser(account: Account, wait: UserPrompt): Promise<AuthorizationCompletion> {
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
