import type { Account } from "../account.ts";
import { abortError, untilGivenUp } from "../auth-errors.ts";
import type { SignedIn } from "../oauth.ts";

/** Starts a sign-in. After `keep()` it goes on when nobody waits for it any more. */
export type StartSignIn = (signal: AbortSignal, keep: () => void) => Promise<SignedIn>;

interface InFlightSignIn {
  readonly work: Promise<SignedIn>;
  readonly controller: AbortController;
  waiting: number;
  readonly isKept: () => boolean;
}

// For a signal of nobody's: whoever waited has gone.
const gone = AbortSignal.abort();

/**
 * One sign-in at a time for each account, shared by all callers that want it meanwhile. `closing`
 * aborts all.
 */
export class InFlightSignIns {
  readonly #closing: AbortSignal;
  readonly #inFlight = new Map<Account, InFlightSignIn>();
  /** Also those that nobody can join any more. */
  readonly #works = new Set<Promise<SignedIn>>();

  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  /** Waits for the one that is under way, or starts one. The last one to leave aborts it. */
  async join(account: Account, signal: AbortSignal, start: StartSignIn): Promise<SignedIn> {
    this.#closing.throwIfAborted();
    if (signal.aborted) throw abortError(signal, account, "signing in");
    const flight = this.#inFlight.get(account) ?? this.#takeOff(account, start);
    flight.waiting += 1;
    try {
      return await untilGivenUp(flight.work, signal, { about: account, doing: "signing in" });
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0 && !flight.isKept()) {
        // Who comes now does not get the end of it.
        this.#leave(account, flight);
        flight.controller.abort(abortError(gone, account, "signing in"));
      }
    }
  }

  has(account: Account): boolean {
    return this.#inFlight.has(account);
  }

  /**
   * Aborts those of the accounts that `isMeant` says, with the reason for each. Resolves, once they
   * have ended, to whether there were any.
   */
  async abort(isMeant: (account: Account) => boolean, reasonFor: (account: Account) => unknown): Promise<boolean> {
    const meant = Array.from(this.#inFlight).filter(([account]) => isMeant(account));
    for (const [account, { controller }] of meant) controller.abort(reasonFor(account));
    await Promise.allSettled(meant.map(([, { work }]) => work));
    return meant.length > 0;
  }

  /** Resolves when none is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#works);
  }

  #takeOff(account: Account, start: StartSignIn): InFlightSignIn {
    const controller = new AbortController();
    let isKept = false;
    const work = start(AbortSignal.any([controller.signal, this.#closing]), () => void (isKept = true));
    const flight: InFlightSignIn = { work, controller, waiting: 0, isKept: () => isKept };
    this.#inFlight.set(account, flight);
    this.#works.add(work);
    const end = (): void => {
      this.#works.delete(work);
      this.#leave(account, flight);
    };
    work.then(end, end);
    return flight;
  }

  #leave(account: Account, flight: InFlightSignIn): void {
    if (this.#inFlight.get(account) === flight) this.#inFlight.delete(account);
  }
}
