import { untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { abortError, authRequired } from "../auth-errors.ts";
import type { SignedIn } from "../oauth.ts";
import type { AuthParts, RefusedSignIn } from "../auth-parts.ts";
import type { Company, SignInRequest } from "./sign-in-user.ts";

/** One sign-in at a time for each account; who wants the same meanwhile waits for it. */
export interface InFlightSignIns {
  /**
   * Waits for the one that is under way, or starts one. What nobody waits for any more is aborted.
   */
  join(account: Account, signal: AbortSignal, start: (signal: AbortSignal) => Promise<SignedIn>): Promise<SignedIn>;
  has(account: Account): boolean;
  /**
   * Aborts those of the accounts that `isMeant` says, with the reason for each. Resolves, once they
   * have ended, to whether there were any.
   */
  abort(isMeant: (account: Account) => boolean, reasonFor: (account: Account) => unknown): Promise<boolean>;
  /** Resolves when none is under way any more. */
  settled(): Promise<void>;
}

interface InFlightSignIn {
  readonly work: Promise<SignedIn>;
  readonly controller: AbortController;
  waiting: number;
}

// For a signal of nobody's: whoever waited has gone.
const gone = AbortSignal.abort();

/** Makes them. `closing` aborts all. */
export function createInFlightSignIns(closing: AbortSignal): InFlightSignIns {
  const inFlight = new Map<Account, InFlightSignIn>();
  // Also those that nobody can join any more.
  const works = new Set<Promise<SignedIn>>();

  const leave = (account: Account, flight: InFlightSignIn): void => {
    if (inFlight.get(account) === flight) inFlight.delete(account);
  };
  const takeOff = (account: Account, start: (signal: AbortSignal) => Promise<SignedIn>): InFlightSignIn => {
    const controller = new AbortController();
    const work = start(AbortSignal.any([controller.signal, closing]));
    const flight: InFlightSignIn = { work, controller, waiting: 0 };
    inFlight.set(account, flight);
    works.add(work);
    const end = (): void => {
      works.delete(work);
      leave(account, flight);
    };
    work.then(end, end);
    return flight;
  };
  return {
    async join(account, signal, start) {
      closing.throwIfAborted();
      if (signal.aborted) throw abortError(signal, account, "signing in");
      const flight = inFlight.get(account) ?? takeOff(account, start);
      flight.waiting += 1;
      try {
        return await untilAborted(flight.work, signal);
      } catch (error) {
        throw signal.aborted && error === signal.reason ? abortError(signal, account, "signing in") : error;
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          // Who comes now does not get the end of it.
          leave(account, flight);
          flight.controller.abort(abortError(gone, account, "signing in"));
        }
      }
    },
    has: (account) => inFlight.has(account),
    async abort(isMeant, reasonFor) {
      const meant = Array.from(inFlight).filter(([account]) => isMeant(account));
      for (const [account, { controller }] of meant) controller.abort(reasonFor(account));
      await Promise.allSettled(meant.map(([, { work }]) => work));
      return meant.length > 0;
    },
    async settled() {
      await Promise.allSettled(works);
    },
  };
}

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
