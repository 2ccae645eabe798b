import type { ServerCredentials } from "@hostside/core";

/**
 * Where bearer tokens come from, for a product that manages them itself. The `AuthProvider` of the
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

/**
 * What a product implements to have OAuth done for it: storage, and the one step that needs a
 * browser. The `OAuthClientProvider` of the MCP SDK is one, and so are the SDK's ready-made ones
 * for client credentials; the optional members of that interface are honoured when they are there,
 * except `dpop`. Hand over the same object for the same server each time: it is what concurrent
 * requests and repeated attempts are recognised by.
 */
export interface OAuthProvider {
  /**
   * Where the authorization server sends the user back to; `undefined` for a flow without a user.
   */
  readonly redirectUrl: string | URL | undefined;
  readonly clientMetadata: OAuthClientMetadata;
  clientInformation(context?: OAuthContext): Awaitable<OAuthClient | undefined>;
  /** Without a context: the tokens saved last. */
  tokens(context?: OAuthContext): Awaitable<OAuthTokens | undefined>;
  saveTokens(tokens: OAuthTokens, context?: OAuthContext): Awaitable<void>;
  /** Shows the user this page. Resolves when it is shown, not when the user is done. */
  redirectToAuthorization(authorizationUrl: URL): Awaitable<void>;
  saveCodeVerifier(codeVerifier: string): Awaitable<void>;
  codeVerifier(): Awaitable<string>;
}

/** The authorization server that a piece of storage belongs to. */
export interface OAuthContext {
  readonly issuer: string;
}

/** A client as it registers itself (RFC 7591). */
export interface OAuthClientMetadata {
  redirect_uris: string[];
  client_name?: string | undefined;
  scope?: string | undefined;
  grant_types?: string[] | undefined;
  response_types?: string[] | undefined;
  token_endpoint_auth_method?: string | undefined;
}

/** A registered client. */
export interface OAuthClient {
  client_id: string;
  client_secret?: string | undefined;
  issuer?: string | undefined;
}

/** A token response (RFC 6749, 5.1). */
export interface OAuthTokens {
  access_token: string;
  token_type: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
  expires_in?: number | undefined;
  issuer?: string | undefined;
}

/** Each way of getting credentials for requests. */
export type AuthorizationProvider = OAuthProvider | ServerCredentials | TokenSource;

/** Now or later. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Whether it is one of the three, as far as can be seen; a promise of one is none. */
export function isAuthorizationProvider(value: unknown): value is AuthorizationProvider {
  if (typeof value !== "object" || value === null) return false;
  return (
    "token" in value ||
    ("tokens" in value && "clientInformation" in value) ||
    ("headersFor" in value && "onRefused" in value)
  );
}

/** Whether it is to have OAuth done for it. */
export function isOAuthProvider(provider: AuthorizationProvider): provider is OAuthProvider {
  return "tokens" in provider && "clientInformation" in provider;
}

/** Whether it has its credentials itself, and only wants to be asked. */
export function isServerCredentials(provider: AuthorizationProvider): provider is ServerCredentials {
  return "headersFor" in provider && "onRefused" in provider;
}
