import type { ServerCredentials } from "@hostside/core";

/**
 * A source of bearer tokens, for a product that manages them itself. The `AuthProvider` of the
 * MCP SDK is one.
 */
export interface TokenSource {
  /**
   * The current token, or `undefined` for none. Asked before every request, so it should be quick.
   */
  token(): Promise<string | undefined>;
  /**
   * The server refused the token with HTTP 401. When this resolves, the request is sent once more
   * with what {@linkcode token} says then. Absent, or when it throws: the request fails with
   * `auth_required`.
   */
  onUnauthorized?(refusal: UnauthorizedRefusal): Promise<void>;
}

/** A refusal, as a {@linkcode TokenSource} gets it. */
export interface UnauthorizedRefusal {
  /** Status 401 and its `WWW-Authenticate`, without a body. */
  readonly response: Response;
  readonly serverUrl: URL;
  /** For requests to an authorization server: bounded in time and size, follows no redirect. */
  readonly fetchFn: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

/** Each way of getting credentials for requests. */
export type AuthorizationProvider = ServerCredentials | TokenSource;

/** True if it is one of the two, as far as can be seen; a promise of one is none. */
export function isAuthorizationProvider(value: unknown): value is AuthorizationProvider {
  if (typeof value !== "object" || value === null) return false;
  return "token" in value || ("headersFor" in value && "onRefused" in value);
}

/** True if it has its credentials itself, and only wants to be asked. */
export function isServerCredentials(provider: AuthorizationProvider): provider is ServerCredentials {
  return "headersFor" in provider && "onRefused" in provider;
}
