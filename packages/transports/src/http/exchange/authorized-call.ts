import {
  HostsideError,
  isHostsideError,
  type AuthorizedRequest,
  type CredentialHeaders,
  type ServerCredentials,
} from "@hostside/core";
import {
  createDeadline,
  formatMs,
  reportUncaught,
  safeCause,
  untilAborted,
  withErrorContext,
} from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import { bodyExcerptOf } from "../../text/safe-excerpt.ts";
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
    if (recovery === "any" && authorizer.isOutstanding) await authorizer.catchUp(left());
    let isNonceGiven = false;
    for (let recoveries = 0; ;) {
      const sent = await authorizer.headersFor(request);
      throwIfCancelled();
      current = start(sent);
      const reply = await current.reply;
      const { status } = reply;
      authorizer.onAnswered(request, reply.header);
      if (recovery === "none" || (status !== 401 && status !== 403)) return reply;
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
      await authorizer.recover(refusal, left(), recovery === "any");
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

/**
 * How long a request waits for other credentials: several requests to an authorization server, each
 * of which has 30 s.
 */
const recoveryMs = 120_000;

/**
 * The latest refusal for want of scope that no user was there to answer. By the credentials,
 * because they outlive the connection that was refused.
 */
const stepUps = new WeakMap<ServerCredentials, AuthorizationRefusal>();

/** Forgets what an authorization left half done. */
export function forgetAuthorization(credentials: ServerCredentials): void {
  stepUps.delete(credentials);
}

/** Asks a product's credentials for the requests of one connection. */
export class Authorizer {
  readonly #context: ServerContext;
  readonly #credentials: ServerCredentials;

  constructor(context: ServerContext, credentials: ServerCredentials) {
    this.#context = context;
    this.#credentials = credentials;
  }

  /**
   * Gets the headers of a request. Rejects with a `HostsideError` whose outcome is never `unknown`.
   */
  async headersFor(request: AuthorizedRequest): Promise<CredentialHeaders> {
    try {
      return await this.#credentials.headersFor(request);
    } catch (error) {
      throw toAuthorizationError(error, this.#context);
    }
  }

  /** Hears of each answer to a request that was sent with credentials. */
  onAnswered(request: AuthorizedRequest, header: (name: string) => string | undefined): void {
    try {
      this.#credentials.onAnswered?.(request, (name) => header(name.toLowerCase()));
    } catch (error) {
      reportUncaught(error);
    }
  }

  /**
   * True if an earlier call lacked a scope that nobody was there to grant, and a user waits now.
   */
  get isOutstanding(): boolean {
    return stepUps.has(this.#credentials) && this.#context.isInteractive();
  }

  /** Asks the user for that scope; else as {@linkcode recover}. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const refusal = stepUps.get(this.#credentials);
    stepUps.delete(this.#credentials);
    if (refusal !== undefined) await this.recover(refusal, signal, true);
  }

  /**
   * Answers a refusal. Resolves when the same request is worth sending again, with what
   * {@linkcode headersFor} says then. Rejects with `auth_required` when a user has to act, with
   * what else stands in the way, or with the reason of `signal`. A user is asked if `mayAsk` and
   * one waits. Nobody waits for an attempt that takes more than two minutes.
   */
  async recover(refusal: AuthorizationRefusal, signal: AbortSignal, mayAsk: boolean): Promise<void> {
    const { status, challenge, request, sent } = refusal;
    const { serverId, isInteractive } = this.#context;
    const interactive = mayAsk && isInteractive();
    const onTimeout = (): HostsideError =>
      new HostsideError(`the authorization provider did not come back within ${formatMs(recoveryMs)}`, {
        code: "auth_required",
        serverId,
        details: { timeoutMs: recoveryMs },
      });
    const deadline = createDeadline({ timeoutMs: recoveryMs, signal, onTimeout });
    const ask = async (): Promise<void> =>
      this.#credentials.onRefused({ status, challenge, request, sent, interactive, signal: deadline.signal });
    try {
      await untilAborted(ask(), deadline.signal);
    } catch (reason) {
      const error = toAuthorizationError(reason, this.#context, refusal.error);
      // The next connection would not miss the access, and would ask nobody for it.
      if (status === 403 && error.code === "auth_required" && !interactive) stepUps.set(this.#credentials, refusal);
      throw error;
    } finally {
      deadline.dispose();
    }
  }
}

/**
 * Makes the error that a provider failed with; `refusal` is what it was to answer. The request that
 * needs the credentials did not run, whatever became of those to an authorization server.
 */
function toAuthorizationError(
  error: unknown,
  { serverId, redact }: ServerContext,
  refusal?: HostsideError,
): HostsideError {
  // The cause of a TypeError of our own fetch.
  const known = isHostsideError(error) ? error : error instanceof Error ? error.cause : undefined;
  if (isHostsideError(known)) {
    const isRefused = known.code === "auth_required" || known.code === "forbidden";
    const outcome = known.outcome !== "unknown" ? known.outcome : refusal === undefined ? "not-sent" : "failed";
    const details = isRefused ? { ...refusal?.details, ...known.details } : known.details;
    return withErrorContext(known, { outcome, serverId: known.serverId ?? serverId, details });
  }
  const reason = error instanceof Error ? bodyExcerptOf(`${error.name}: ${error.message}`, redact) : "no reason given";
  return new HostsideError(`authorization failed: ${reason}`, {
    code: "auth_required",
    serverId,
    details: refusal?.details,
    cause: safeCause(error, redact),
  });
}
