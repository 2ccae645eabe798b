import { untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { authRequired } from "../auth-errors.ts";
import type { AuthParts, RefusedSignIn } from "../auth-parts.ts";
import type { SignedIn } from "../oauth.ts";
import type { InFlightSignIns } from "./in-flight-sign-ins.ts";
import type { Company, SignInRequest } from "./sign-in-user.ts";

/** What a sign-in after a refusal is made with. */
export interface RefusalSignInInit {
  readonly inFlight: InFlightSignIns;
  readonly expect: Company["expect"];
  readonly start: (account: Account, requested: SignInRequest, expectUser: Company["expect"]) => Promise<SignedIn>;
}

/** Makes the sign-ins that refusals begin, as `AuthParts` says of them. */
export function createRefusalSignIns(
  parts: Pick<AuthParts, "clock">,
  { inFlight, expect, start }: RefusalSignInInit,
): AuthParts["signInAfterRefusal"] {
  const budget = createPromptBudget(parts);
  // Users whom a refusal sent to a page: whoever had the page shown may leave before they come
  // back.
  const atPage = new Set<Account>();

  const expectUser =
    (account: Account): Company["expect"] =>
    (state) => {
      budget.use(account);
      atPage.add(account);
      const expected = expect(state);
      const end = (): void => {
        atPage.delete(account);
        expected.end();
      };
      return { ...expected, end };
    };
  return async (account: Account, { needsMore, signal }: RefusedSignIn) => {
    if (!inFlight.has(account) && budget.isUsedUp(account)) throw tooOften(account);
    const left = new AbortController();
    const leave = (): void => void (atPage.has(account) || left.abort(signal.reason));
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    const work = inFlight.join(account, left.signal, (ending) =>
      start(account, { needsMore, signal: ending }, expectUser(account)),
    );
    return untilAborted(work, signal).finally(() => signal.removeEventListener("abort", leave));
  };
}

function tooOften(account: Account): Error {
  return authRequired(
    account,
    `it refused what ${mostPrompts} sign-ins of the last ten minutes brought, and its refusals ask no user again; authorize() does`,
  );
}

/** How often refusals may have a user asked. */
export interface PromptBudget {
  isUsedUp(account: Account): boolean;
  use(account: Account): void;
}

/**
 * A server that refuses whatever it is given would otherwise send the user to the browser for ever.
 */
const mostPrompts = 3;
const windowMs = 600_000;

/** Makes a budget of three in ten minutes for each account. */
function createPromptBudget({ clock }: Pick<AuthParts, "clock">): PromptBudget {
  const prompts = new WeakMap<Account, readonly number[]>();
  const latestOf = (account: Account): readonly number[] => {
    const since = clock.now() - windowMs;
    return (prompts.get(account) ?? []).filter((at) => at > since);
  };
  return {
    isUsedUp: (account) => latestOf(account).length >= mostPrompts,
    use: (account) => void prompts.set(account, [...latestOf(account), clock.now()]),
  };
}
