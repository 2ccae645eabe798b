import type { AuthorizedRequest, CredentialHeaders, HostsideError } from "@hostside/core";

/** A request that was refused for its credentials. */
export interface AuthorizationRefusal {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header; of several their values, in one list. */
  readonly challenge: string | undefined;
  readonly request: AuthorizedRequest;
  /** What it was sent with: the very object that {@linkcode Authorizer.headersFor} gave. */
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
   * What to send a request with. Rejects with a `HostsideError` whose outcome is never `unknown`.
   */
  headersFor(request: AuthorizedRequest): Promise<CredentialHeaders>;
  /** Hears of each answer to a request that was sent with credentials. */
  onAnswered?(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /**
   * Whether an earlier call lacked a scope that nobody was there to grant, and a user waits now.
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
