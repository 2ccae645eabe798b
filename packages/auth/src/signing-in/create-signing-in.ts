import { HostsideError } from "@hostside/core";
import { clock, settleWithin, isLoopbackUrl, untilAborted, createDeadline, formatMs } from "@hostside/core/implement";
import { isProgram, type Account, type AuthParts, type RefusedSignIn } from "../account.ts";
import { toSignedIn } from "../accounts/stored-account.ts";
import {
  abortError,
  authRequired,
  untilGivenUp,
  isNotShown,
  serverError,
  pageNotShownError,
  throwIfAborted,
} from "../auth-errors.ts";
import { clientKey, forgetClient, readClient } from "../clients/become-client.ts";
import { discoverForSignIn, type Discovered } from "../discovering/discover-authorization.ts";
import { requestGrant } from "../grants/request-grant.ts";
import type { OAuthPrompt, RedirectListener, RedirectReceiver, PromptAnswer } from "../oauth-options.ts";
import type { PendingAuthorization, SignedIn } from "../oauth.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";
import { completeAuthorization, readCallback, type AuthorizationCompletion } from "./complete-authorization.ts";
import {
  cancelBegun,
  chooseScope,
  discoverForUsers,
  openAuthorization,
  pendingKey,
  pendingMs,
  type ScopeRequest,
} from "./open-authorization.ts";

// A request that was sent, and what the store needs then; with room for a part of the product's
// that never ends.
const longestEndMs = longestAnswerMs + 5000;

/**
 * A server that refuses whatever it is given would otherwise send the user to the browser for ever.
 */
const mostPrompts = 3;
const promptWindowMs = 600_000;

/** Makes the only place that starts sign-ins: one at a time for each account. */
export function createSigningIn(parts: AuthParts) {
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
    authorize: (account: Account, { signal, ...requested }: SignInRequest): Promise<SignedIn> =>
      inFlight.join(account, signal, (ending) => signIn(account, { ...requested, signal: ending })),
    async signInAfterRefusal(account: Account, { needsMore, signal }: RefusedSignIn): Promise<SignedIn> {
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
    async begin(account: Account, requested: SignInRequest): Promise<PendingAuthorization> {
      closing.throwIfAborted();
      const signal = AbortSignal.any([requested.signal, closing]);
      try {
        // Not left behind when it is aborted: it would still save what it keeps.
        return await beginAuthorization(parts, account, { ...requested, signal });
      } catch (error) {
        throw signal.aborted ? abortError(signal, account, "begin()") : error;
      }
    },
    async complete(
      callbackUrl: URL | string,
      { principal, signal }: { readonly principal: string | undefined; readonly signal: AbortSignal },
    ): Promise<SignedIn> {
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
    async cancel(serverId: string, principal: string | undefined): Promise<boolean> {
      const isMeant = (account: Account): boolean => account.serverId === serverId && account.principal === principal;
      const wasUnderWay = await inFlight.abort(isMeant, (account) =>
        authRequired(account, "the sign-in was cancelled"),
      );
      const wasBegun = await cancelBegun(parts, { serverId, principal });
      return wasUnderWay || wasBegun;
    },
    /** Resolves when nothing is under way, once `closing` has ended it; within a minute. */
    async settled(): Promise<void> {
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

/** A request for a sign-in. */
interface SignInRequest extends ScopeRequest {
  /** In place of that of all. */
  readonly prompt?: OAuthPrompt | undefined;
  /** Called right before a page is shown. */
  readonly onShown?: (() => void) | undefined;
  readonly signal: AbortSignal;
}

/** The parts that sign-ins of a process share. */
interface Company {
  /** Waits for `complete()` in this process with this `state`. */
  readonly expect: (state: string) => { readonly answer: Promise<AuthorizationCompletion>; readonly end: () => void };
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
async function beginAuthorization(
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
async function signInUser(
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
  // A prompt in JavaScript may answer with nothing.
  return (answer as Partial<typeof answer> | undefined)?.callbackUrl;
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
