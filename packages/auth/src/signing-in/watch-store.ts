import { isHostsideError } from "@hostside/core";
import type { Account } from "../account.ts";
import { authRequired } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { readAccount } from "../tokens/account-documents.ts";
import { authorizationOf, toSignedIn } from "../tokens/authorizations.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";
import type { AuthorizationCompletion } from "./complete-authorization.ts";
import { pendingKey } from "./pending-documents.ts";

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
  const { clock, store } = parts;
  let takenAt: number | undefined;
  for (;;) {
    await nextLook(parts, signal);
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

function nextLook({ clock }: Pick<AuthParts, "clock">, signal: AbortSignal): Promise<void> {
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
