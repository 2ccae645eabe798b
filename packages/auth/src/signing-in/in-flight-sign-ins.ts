import { untilAborted } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import { abortError } from "../auth-errors.ts";
import type { SignedIn } from "../oauth.ts";

/** Starts a sign-in. After `keep()` it goes on when nobody waits for it any more. */
export type StartSignIn = (signal: AbortSignal, keep: () => void) => Promise<SignedIn>;

/** One sign-in at a time for each account, shared by all callers that want it meanwhile. */
export interface InFlightSignIns {
  /** Waits for the one that is under way, or starts one. The last one to leave aborts it. */
  join(account: Account, signal: AbortSignal, start: StartSignIn): Promise<SignedIn>;
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
  readonly isKept: () => boolean;
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
  const takeOff = (account: Account, start: StartSignIn): InFlightSignIn => {
    const controller = new AbortController();
    let isKept = false;
    const keep = (): void => void (isKept = true);
    const work = start(AbortSignal.any([controller.signal, closing]), keep);
    const flight: InFlightSignIn = { work, controller, waiting: 0, isKept: () => isKept };
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
        if (flight.waiting === 0 && !flight.isKept()) {
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
