import type { ToolportError } from "@toolport/core";

/** A request that was refused for its credentials. */
export interface Refusal {
  readonly status: number;
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined;
  /** The token that was refused. */
  readonly token: string | undefined;
  readonly error: ToolportError;
}

/** Gets credentials for the requests of one connection. */
export interface Authorizer {
  token(): Promise<string | undefined>;
  /** Whether an earlier call lacked a scope that nobody was there to grant, and a user waits now. */
  isOutstanding(): boolean;
  /** Asks the user for that scope; else as {@linkcode recover}. */
  catchUp(signal: AbortSignal): Promise<void>;
  /**
   * Answers a refusal with HTTP 401 or 403. Resolves when the same request is worth sending again, with what {@linkcode token}
   * says then. Rejects with the refusal's error when nothing can be done, with `auth_required` when a user has to act, or with the
   * reason of `signal`. Callers that are refused together share one attempt, and so do connections that share a provider; each stops
   * waiting by itself, and nobody waits for an attempt that takes more than two minutes.
   */
  recover(refusal: Refusal, signal: AbortSignal): Promise<void>;
}
