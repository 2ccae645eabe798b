import type { HostsideError } from "@hostside/core";
import { clock, settleWithin } from "@hostside/core/implement";
import { isProgram, type Account } from "../account.ts";
import { abortError, authRequired, serverError, untilGivenUp } from "../auth-errors.ts";
import type { AuthParts } from "../auth-parts.ts";
import { discoverForSignIn } from "../discovering/ask-server.ts";
import { requestGrant } from "../grants/request-grant.ts";
import type { PendingAuthorization, SignedIn } from "../oauth.ts";
import { toSignedIn } from "../accounts/authorizations.ts";
import { longestAnswerMs } from "../tokens/request-tokens.ts";
import { cancelBegun } from "./pending-documents.ts";
import { chooseScope } from "./open-authorization.ts";
import {
  completeAuthorization,
  readCallback,
  type AuthorizationCompletion,
  type CompletedBy,
} from "./complete-authorization.ts";
import { InFlightSignIns } from "./in-flight-sign-ins.ts";
import { beginAuthorization, signInUser, type Company, type SignInRequest } from "./sign-in-user.ts";

/** Signs in to servers, one at a time for each account. */
export interface SigningIn {
  authorize(account: Account, requested: SignInRequest): Promise<SignedIn>;
  readonly signInAfterRefusal: AuthParts["signInAfterRefusal"];
  begin(account: Account, requested: SignInRequest): Promise<PendingAuthorization>;
  complete(callbackUrl: URL | string, by: CompletedBy & { readonly signal: AbortSignal }): Promise<SignedIn>;
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
  // Also those that nobody waits for any more: what comes of them is saved.
  const redeeming = new Set<Promise<AuthorizationCompletion>>();
  // When refusals had a page shown.
  const prompts = new WeakMap<Account, readonly number[]>();
  const latestPrompts = (account: Account): readonly number[] =>
    (prompts.get(account) ?? []).filter((at) => at > clock.now() - promptWindowMs);

  const redeem = (callbackUrl: URL | string, by?: CompletedBy): Promise<AuthorizationCompletion> => {
    const work = completeAuthorization(parts, callbackUrl, by);
    redeeming.add(work);
    const end = (): void => void redeeming.delete(work);
    work.then(end, end);
    return work;
  };
  const expect: Company["expect"] = (state) => {
    const answer = new Promise<AuthorizationCompletion>((resolve) => void expected.set(state, resolve));
    return { answer, end: () => void expected.delete(state) };
  };
  const signIn = (account: Account, requested: SignInRequest, onShown = (): void => {}): Promise<SignedIn> => {
    if (isProgram(account)) return signInProgram(parts, account, requested);
    const expectShown: Company["expect"] = (state) => {
      onShown();
      return expect(state);
    };
    return signInUser(parts, account, { requested, company: { expect: expectShown, redeem } });
  };
  return {
    authorize: (account, { signal, ...requested }) =>
      inFlight.join(account, signal, (ending) => signIn(account, { ...requested, signal: ending })),
    async signInAfterRefusal(account, { needsMore, signal }) {
      if (!inFlight.has(account) && latestPrompts(account).length >= mostPrompts) throw tooOften(account);
      return inFlight.join(account, signal, (ending, keep) =>
        signIn(account, { needsMore, signal: ending }, () => {
          prompts.set(account, [...latestPrompts(account), clock.now()]);
          keep();
        }),
      );
    },
    async begin(account, requested) {
      closing.throwIfAborted();
      if (isProgram(account)) throw notForUsers(account);
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
      const work = redeem(callbackUrl, { principal }).then((completion) => {
        // What is left where it was can still be answered.
        if (completion.takenBy === "here") resolve?.(completion);
        if (completion.failure !== undefined) throw completion.failure;
        return completion.signedIn;
      });
      return untilGivenUp(work, ending, { doing: "complete()" });
    },
    async cancel(serverId, principal) {
      const isMeant = (account: Account): boolean => account.serverId === serverId && account.principal === principal;
      const wasUnderWay = await inFlight.abort(isMeant, cancelled);
      const wasBegun = await cancelBegun(parts, { serverId, principal });
      return wasUnderWay || wasBegun;
    },
    async settled() {
      const all = Promise.all([inFlight.settled(), Promise.allSettled(redeeming)]);
      await settleWithin(all, longestEndMs);
    },
  };
}

async function signInProgram(parts: AuthParts, account: Account, requested: SignInRequest): Promise<SignedIn> {
  const { signal, scopes, needsMore } = requested;
  const server = await discoverForSignIn(parts, account, signal);
  const scope = chooseScope(account, server, { scopes, needsMore });
  const authorization = await requestGrant(parts, account, { server, scope, signal });
  const signedIn = toSignedIn(account, authorization);
  parts.signedIn.emit(signedIn);
  return signedIn;
}

function notForUsers(account: Account): HostsideError {
  const text = `it is not configured for the OAuth authorization_code flow, but for ${account.config.flow}; authorize() signs in without a user`;
  return serverError(account, text, { code: "unsupported_operation" });
}

function cancelled(account: Account): HostsideError {
  return authRequired(account, "the sign-in was cancelled");
}

function tooOften(account: Account): Error {
  return authRequired(
    account,
    `it refused what ${mostPrompts} sign-ins of the last ten minutes brought, and its refusals ask no user again; authorize() does`,
  );
}
