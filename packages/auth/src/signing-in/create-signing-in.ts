import { clock, settleWithin } from "@hostside/core/implement";
import { isProgram, type Account, type AuthParts } from "../account.ts";
import { abortError, authRequired, untilGivenUp } from "../auth-errors.ts";
import { discoverForSignIn } from "../discovering/discover-authorization.ts";
import { requestGrant } from "../grants/request-grant.ts";
import type { PendingAuthorization, SignedIn } from "../oauth.ts";
import { toSignedIn } from "../accounts/stored-account.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";
import { cancelBegun, chooseScope } from "./open-authorization.ts";
import { completeAuthorization, readCallback, type AuthorizationCompletion } from "./complete-authorization.ts";
import { beginAuthorization, signInUser, type Company, type SignInRequest } from "./sign-in-user.ts";

/** Signs in to servers, one at a time for each account. */
interface SigningIn {
  authorize(account: Account, requested: SignInRequest): Promise<SignedIn>;
  readonly signInAfterRefusal: AuthParts["signInAfterRefusal"];
  begin(account: Account, requested: SignInRequest): Promise<PendingAuthorization>;
  complete(
    callbackUrl: URL | string,
    by: { readonly principal: string | undefined; readonly signal: AbortSignal },
  ): Promise<SignedIn>;
  cancel(serverId: string, principal: string | undefined): Promise<boolean>;
  /** Resolves when nothing is under way any more, once `closing` has ended it; within a minute. */
  settled(): Promise<void>;
}

// A request that was sent, and what the store needs then; with room for a part of the product's
// that never ends.
const longestEndMs = longestAnswerMs + 5000;

/**
 * A server that refuses whatever it is given would otherwise send the user to the browser for ever.
 */
const mostPrompts = 3;
const promptWindowMs = 600_000;

/** Makes the only place that starts sign-ins. */
export function createSigningIn(parts: AuthParts): SigningIn {
  const { closing } = parts;
  const inFlight = new InFlightSignIns(closing);
  // The sign-ins of this process that wait for `complete()`, by their state.
  const expected = new Map<string, (completion: AuthorizationCompletion) => void>();
  // Also that which nobody waits for any more: what comes of it is saved.
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    const end = (): void => void underWay.delete(work);
    work.then(end, end);
    return work;
  };
  // When refusals had a page shown.
  const prompts = new WeakMap<Account, readonly number[]>();
  const latestPrompts = (account: Account): readonly number[] =>
    (prompts.get(account) ?? []).filter((at) => at > clock.now() - promptWindowMs);

  const company: Company = {
    expect(state) {
      const answer = new Promise<AuthorizationCompletion>((resolve) => void expected.set(state, resolve));
      return { answer, end: () => void expected.delete(state) };
    },
    redeem: (callbackUrl) => track(completeAuthorization(parts, callbackUrl)),
  };
  const signIn = (account: Account, requested: SignInRequest): Promise<SignedIn> =>
    track(
      isProgram(account)
        ? signInProgram(parts, account, requested)
        : signInUser(parts, account, { requested, company }),
    );
  return {
    authorize: (account, { signal, ...requested }) =>
      inFlight.join(account, signal, (ending) => signIn(account, { ...requested, signal: ending })),
    async signInAfterRefusal(account, { needsMore, signal }) {
      if (!inFlight.has(account) && latestPrompts(account).length >= mostPrompts) {
        const often = `it refused what ${mostPrompts} sign-ins of the last ten minutes brought`;
        throw authRequired(account, `${often}, and its refusals ask no user again; authorize() does`);
      }
      return inFlight.join(account, signal, (ending, keep) => {
        const onShown = (): void => {
          prompts.set(account, [...latestPrompts(account), clock.now()]);
          keep();
        };
        return signIn(account, { needsMore, signal: ending, onShown });
      });
    },
    async begin(account, requested) {
      closing.throwIfAborted();
      const signal = AbortSignal.any([requested.signal, closing]);
      try {
        // Not left behind when it is aborted: it would still save what it keeps.
        return await beginAuthorization(parts, account, { ...requested, signal });
      } catch (error) {
        throw signal.aborted ? abortError(signal, account, "begin()") : error;
      }
    },
    async complete(callbackUrl, { principal, signal }) {
      const { state } = readCallback(callbackUrl);
      const ending = AbortSignal.any([signal, closing]);
      if (ending.aborted) throw abortError(ending, {}, "complete()");
      const resolve = expected.get(state);
      const work = track(completeAuthorization(parts, callbackUrl, { principal })).then((completion) => {
        // What is left where it was can still be answered.
        if (completion.takenBy === "here") resolve?.(completion);
        if (completion.failure !== undefined) throw completion.failure;
        return completion.signedIn;
      });
      return untilGivenUp(work, ending, { doing: "complete()" });
    },
    async cancel(serverId, principal) {
      const isMeant = (account: Account): boolean => account.serverId === serverId && account.principal === principal;
      const wasUnderWay = await inFlight.abort(isMeant, (account) =>
        authRequired(account, "the sign-in was cancelled"),
      );
      const wasBegun = await cancelBegun(parts, { serverId, principal });
      return wasUnderWay || wasBegun;
    },
    async settled() {
      await settleWithin(Promise.allSettled(underWay), longestEndMs);
    },
  };
}

async function signInProgram(parts: AuthParts, account: Account, requested: SignInRequest): Promise<SignedIn> {
  const { signal } = requested;
  const server = await discoverForSignIn(parts, account, signal);
  const scope = chooseScope(account, server, requested);
  const authorization = await requestGrant(parts, account, { server, scope, signal });
  const signedIn = toSignedIn(account, authorization);
  parts.signedIn.emit(signedIn);
  return signedIn;
}

/** Starts a sign-in. After `keep()` it goes on when nobody waits for it any more. */
type StartSignIn = (signal: AbortSignal, keep: () => void) => Promise<SignedIn>;

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
class InFlightSignIns {
  readonly #closing: AbortSignal;
  readonly #inFlight = new Map<Account, InFlightSignIn>();

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

  #takeOff(account: Account, start: StartSignIn): InFlightSignIn {
    const controller = new AbortController();
    let isKept = false;
    const work = start(AbortSignal.any([controller.signal, this.#closing]), () => void (isKept = true));
    const flight: InFlightSignIn = { work, controller, waiting: 0, isKept: () => isKept };
    this.#inFlight.set(account, flight);
    const end = (): void => this.#leave(account, flight);
    work.then(end, end);
    return flight;
  }

  #leave(account: Account, flight: InFlightSignIn): void {
    if (this.#inFlight.get(account) === flight) this.#inFlight.delete(account);
  }
}
