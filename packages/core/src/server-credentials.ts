/** For whom credentials are wanted, and what there is to get them with. */
export interface AuthorizationRequest {
  /** As whoever connects said it; absent when they did not. */
  readonly principal?: string | undefined;
  /** Whether a user waits right now who may be shown an authorization page. */
  readonly interactive: boolean;
  /**
   * For requests to an authorization server: over the connector's own HTTP and past its guard,
   * bounded in time and size, over `https:` or on this machine alone, and without redirects. Lives
   * as long as the connector does.
   */
  readonly fetch: AuthorizationFetch;
}

/**
 * A `fetch` for requests that carry credentials, by GET or POST. Fails with a `TypeError`, like
 * any, whose cause may be a `HostsideError`; or with the reason of its `signal`. Says nothing of
 * where an answer redirects to.
 */
export type AuthorizationFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** One HTTP request to a server, as far as credentials may depend on it. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
}

/** The headers that let a request in; none when there are no credentials yet. */
export type CredentialHeaders = Readonly<Record<string, string>>;

/** A server's no to a request, by HTTP status 401 or 403. */
export interface CredentialsRefusal {
  readonly status: 401 | 403;
  /** The `WWW-Authenticate` header; of several their values, in one list. Untrusted. */
  readonly challenge: string | undefined;
  readonly request: AuthorizedRequest;
  /**
   * What the refused request was sent with: the very object that
   * {@linkcode ServerCredentials.headersFor} gave.
   */
  readonly sent: CredentialHeaders;
  /** Whether a user waits right now who may be shown an authorization page. */
  readonly interactive: boolean;
  /**
   * Aborts when nobody waits any more. What has been redeemed is saved all the same, and a user who
   * was shown a page may still come back.
   */
  readonly signal: AbortSignal;
}

/**
 * Credentials of one server for one principal: what a connector asks before each HTTP request to
 * that server, and after each refusal. Whatever it hands out is masked wherever the server echoes
 * it, but for a proof of DPoP, which lets nobody in by itself.
 */
export interface ServerCredentials {
  /**
   * Right before a request is sent, so it should be quick. Rejects when there are credentials that
   * cannot be had now: nothing is sent then. No header may be one that the transport sets.
   */
  headersFor(request: AuthorizedRequest): Promise<CredentialHeaders>;
  /**
   * Resolves when the same request is worth sending once more, with what {@linkcode headersFor}
   * says then: once after a 401, twice after a 403; and once more after a 401 that wants a nonce in
   * the proof that was sent (RFC 9449, 9). Rejects with `auth_required` when a user has to act, or
   * with what else stands in the way. Several may be refused at the same time. A 403 that ended in
   * `auth_required` while nobody waited is put once more when a user does, before the next request.
   */
  onRefused(refusal: CredentialsRefusal): Promise<void>;
  /**
   * Each answer to a request that carried credentials, for what comes with it, such as a nonce of
   * DPoP (RFC 9449, 8.2). Must not throw.
   */
  onAnswered?(request: AuthorizedRequest, header: (name: string) => string | undefined): void;
  /** Forgets what is held, for a user who signs out; revokes it where that can be done. */
  clear?(): Promise<void>;
}
