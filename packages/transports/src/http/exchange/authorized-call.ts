import type { AuthorizedRequest, CredentialHeaders, HostsideError } from "@hostside/core";
import type { HttpCall, HttpReply } from "./http-exchange.ts";
import { readRemark, type CompleteReply } from "./read-body.ts";

/** A request that may be sent more than once. */
export interface AuthorizedCall {
  readonly authorizer: Authorizer;
  readonly request: AuthorizedRequest;
  readonly start: (credentials: CredentialHeaders) => HttpCall;
  readonly toError: (reply: CompleteReply) => HostsideError;
  readonly recovery: RecoveryMode;
}

/**
 * Sends a request, and sends it again after a refusal (HTTP 401 or 403) that other credentials may
 * cure: the server did not run it. Once after a 401, twice after a 403, because a second step up
 * may be needed for a second scope; and once more after the demand for a nonce, which no server
 * asks for before it has seen credentials (RFC 9449, 9).
 */
export function sendAgainOnceAuthorized({ authorizer, request, start, toError, recovery }: AuthorizedCall): HttpCall {
  const isRecoverable = recovery === "any" || (recovery === "quiet" && authorizer.recoverQuietly !== undefined);
  let current: HttpCall | undefined;
  let cancelled: HostsideError | undefined;
  let rejectReply = (_reason: HostsideError): void => {};
  const throwIfCancelled = (): void => {
    if (cancelled !== undefined) throw cancelled;
  };

  let leaving: AbortController | undefined;
  // Made only when there is something to wait for besides the request itself.
  const left = (): AbortSignal => (leaving ??= new AbortController()).signal;

  const run = async (): Promise<HttpReply> => {
    if (recovery === "any" && authorizer.isOutstanding()) await authorizer.catchUp(left());
    let isNonceGiven = false;
    for (let recoveries = 0; ;) {
      const sent = await authorizer.headersFor(request);
      throwIfCancelled();
      current = start(sent);
      const reply = await current.reply;
      const { status } = reply;
      authorizer.onAnswered?.(request, reply.header);
      if (!isRecoverable || (status !== 401 && status !== 403)) return reply;
      const challenge = reply.header("www-authenticate");
      const wantsNonce = !isNonceGiven && status === 401 && demandsNonce(challenge, sent);
      // A second step up may be needed for a second scope; fresh credentials that are refused will
      // not get better.
      if (!wantsNonce && recoveries >= (status === 401 ? 1 : 2)) return reply;
      const error = toError(await readRemark(reply));
      throwIfCancelled();
      const refusal: AuthorizationRefusal = { status, challenge, request, sent, error };
      if (wantsNonce) isNonceGiven = true;
      else recoveries += 1;
      await (recovery === "any" ? authorizer.recover(refusal, left()) : authorizer.recoverQuietly?.(refusal, left()));
    }
  };
  const reply = new Promise<HttpReply>((resolve, reject) => {
    rejectReply = reject;
    run().then(resolve, reject);
  });
  return {
    reply,
    cancel(reason) {
      cancelled ??= reason;
      rejectReply(reason);
      leaving?.abort(reason);
      current?.cancel(reason);
    },
  };
}

// Only of a proof that was sent: nobody else has a use for a nonce.
function demandsNonce(challenge: string | undefined, sent: CredentialHeaders): boolean {
  const hasProof = Object.keys(sent).some((name) => name.toLowerCase() === "dpop");
  return hasProof && /\buse_dpop_nonce\b/.test(challenge ?? "");
}

/** A request that was refused for its credentials. */
export interface AuthorizationRefusal {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header; of several their values, in one list. */
  readonly challenge: string | undefined;
  readonly request: AuthorizedRequest;
  /**
   * The headers that it was sent with: the very object that {@linkcode Authorizer.headersFor} gave.
   */
  readonly sent: CredentialHeaders;
  readonly error: HostsideError;
}

/**
 * How a request's refusal is answered: by anything; by what bothers no user; by nothing, because
 * nobody needs the request.
 */
export type RecoveryMode = "any" | "none" | "quiet";

/** Gets credentials for the requests of one connection. */
export interface Authorizer {
  /**
   * Gets the headers of a request. Rejects with a `HostsideError` whose outcome is never `unknown`.
   */
  headersFor(request: AuthorizedRequest): Promise<CredentialHeaders>;
  /** Hears of each answer to a request that was sent with credentials. */
  onAnswered?(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /**
   * True if an earlier call lacked a scope that nobody was there to grant, and a user waits now.
   */
  isOutstanding(): boolean;
  /** Asks the user for that scope; else as {@linkcode recover}. */
  catchUp(signal: AbortSignal): Promise<void>;
  /**
   * Answers a refusal. Resolves when the same request is worth sending again, with what
   * {@linkcode headersFor} says then. Rejects with the refusal's error when nothing can be done,
   * with `auth_required` when a user has to act, or with the reason of `signal`. Callers that are
   * refused together share one attempt, and so do connections that share a provider; each stops
   * waiting by itself, and nobody waits for an attempt that takes more than two minutes.
   */
  recover(refusal: AuthorizationRefusal, signal: AbortSignal): Promise<void>;
  /** The same for what nobody waits for: no user is asked. Absent where that cannot be promised. */
  recoverQuietly?(refusal: AuthorizationRefusal, signal: AbortSignal): Promise<void>;
}
