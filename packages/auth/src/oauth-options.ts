import type { ConnectionGuard, JsonObject, ServerSpec } from "@hostside/core";
import type { CredentialStore } from "./store/credential-store.ts";

/** Options of `createOAuth`. */
export interface OAuthOptions {
  /** The store of credentials. Default: in memory, so that a restart signs everybody out. */
  readonly store?: CredentialStore | undefined;
  /**
   * The place that authorization servers send users back to: a page of the product's own, which
   * hands what it got to `complete()`; or who listens for them, such as `loopbackRedirect()` of
   * `@hostside/auth/node`. Needed for the authorization code flow alone.
   */
  readonly redirect?: RedirectReceiver | URL | string | undefined;
  /**
   * Shows a user the authorization page. Without it, `authorize()` asks nobody and fails; `begin()`
   * and `complete()` work.
   */
  readonly prompt?: OAuthPrompt | undefined;
  /**
   * Clients by server id, or a function that chooses one. Default for a server that is not here: a
   * user, as a client that is found or registered.
   */
  readonly clients?:
    | ((server: PrincipalServer) => ClientConfig | undefined)
    | Readonly<Record<string, ClientConfig>>
    | undefined;
  /** The name and the document with which the host registers. */
  readonly product?: ProductIdentity | undefined;
  /**
   * Decides where requests may go that no connector makes. The requests of a connector are judged
   * by the connector's guard. Default: anywhere.
   */
  readonly guard?: ConnectionGuard | undefined;
  /**
   * Does the requests that no connector makes; `server` is whom they are for. Default: the
   * runtime's `fetch`, bounded as a connector's is.
   */
  readonly fetch?: OAuthFetch | undefined;
}

/** A `fetch` that knows for which server it is called. */
export type OAuthFetch = (url: string | URL, init: RequestInit | undefined, server: ServerSpec) => Promise<Response>;

/** The product as authorization servers show it to users (RFC 7591, 2). */
export interface ProductIdentity {
  /** Default `"Hostside"`. */
  readonly name?: string | undefined;
  /**
   * `https:` URL of the product's Client ID Metadata Document, which is then its client id wherever
   * that is understood.
   */
  readonly metadataUrl?: string | undefined;
}

/** A server, and for whom it is reached. */
export interface PrincipalServer {
  readonly serverId: string;
  readonly url: string;
  readonly principal?: string | undefined;
}

/** A way of signing in to a server. */
export type ClientConfig =
  | AuthorizationCodeConfig
  | ClientCredentialsConfig
  | JwtBearerConfig
  | EnterpriseManagedConfig;

interface CommonConfig {
  /**
   * The authorization server that the client belongs to. A server that names another one gets
   * nothing. Default: the first one that it names, from then on that one alone, as long as the
   * credentials are kept.
   */
  readonly issuer?: string | undefined;
  /** Asked for in place of what the server names. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The resource that tokens are asked for (RFC 8707), where it is not the server's URL. `false`
   * leaves the parameter out, for an authorization server that refuses it.
   */
  readonly resource?: string | false | undefined;
  /** Binds tokens to a key of this host (RFC 9449). Default: where the server wants it. */
  readonly dpop?: boolean | undefined;
}

/** A user signs in in a browser. */
export interface AuthorizationCodeConfig extends CommonConfig {
  readonly flow?: "authorization_code" | undefined;
  /** The id of a client that was registered by hand. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /**
   * In place of the `redirect` of all. On this machine it is where users have to be listened for,
   * at any port when it names none.
   */
  readonly redirectUri?: string | undefined;
  readonly clientName?: string | undefined;
}

/** The host signs in as itself (RFC 6749, 4.4), by a secret or by a key (RFC 7523, 2.2). */
export interface ClientCredentialsConfig extends CommonConfig {
  readonly flow: "client_credentials";
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: PrivateKey | undefined;
}

/** A key that signs assertions. */
export interface PrivateKey {
  /** PKCS #8 as PEM, or a JWK. */
  readonly key: JsonObject | string;
  /** A name of JOSE: `ES256`, `RS256`, … */
  readonly algorithm: string;
  readonly keyId?: string | undefined;
}

/** An assertion of somebody else lets in (RFC 7523, 2.1): workload identity. */
export interface JwtBearerConfig extends CommonConfig {
  readonly flow: "jwt_bearer";
  /** The assertion; asked for each time that a token is needed. */
  readonly assertion: (request: AssertionRequest) => Promise<string> | string;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}

/** The purpose of an assertion. */
export interface AssertionRequest {
  readonly serverId: string;
  readonly principal?: string | undefined;
  /** The authorization server that it will be sent to. */
  readonly issuer: string;
  readonly resource?: string | undefined;
  readonly scope?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * The user is signed in with the enterprise's identity provider already, which answers for them
 * (token exchange, RFC 8693, for an ID-JAG).
 */
export interface EnterpriseManagedConfig extends CommonConfig {
  readonly flow: "enterprise_managed";
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly identityProvider: {
    /** Found out from `issuer` when absent. */
    readonly tokenEndpoint?: string | undefined;
    readonly issuer?: string | undefined;
    readonly clientId: string;
    readonly clientSecret?: string | undefined;
    /** The user's ID token; asked for each time that a token is needed. */
    readonly idToken: (request: AssertionRequest) => Promise<string> | string;
  };
}

/** A user is to be shown an authorization page. */
export interface PromptRequest {
  readonly serverId: string;
  /** The server's title in the host's words. */
  readonly title: string;
  readonly principal?: string | undefined;
  /** `https:`, or on this machine: nothing else is ever handed over. */
  readonly url: URL;
  /**
   * Aborts when the answer is there, when it is too late for one, and when nobody wants it any
   * more.
   */
  readonly signal: AbortSignal;
}

/**
 * The result of showing the page: `"completed"` it was shown, and the answer will come by the
 * redirect, if it is not there yet; `"cancelled"` the user does not want to; or the whole URL that
 * the user was sent back to, where it has to be pasted. To throw refuses: the sign-in has failed,
 * and nobody is given the page. To throw a `HostsideError` with the code `auth_required` says that
 * a page cannot be shown here: then the error has it, and so has the answer of an authenticate
 * tool.
 */
export type PromptAnswer = "completed" | "cancelled" | { readonly callbackUrl: URL | string };

/** Shows a user an authorization page. */
export type OAuthPrompt = (request: PromptRequest) => Promise<PromptAnswer>;

/** The user that a {@linkcode RedirectReceiver} listens for. */
export interface RedirectExpectation {
  readonly serverId: string;
  /** Name of the server on the page that answers the user. */
  readonly title: string;
  /**
   * The redirect URI that the configuration of the client names. The listener listens there and
   * nowhere else: at any port when the URI names none.
   */
  readonly redirectUri?: string | undefined;
  /**
   * The redirect URI that the client is registered with, if it is already; to be listened on again
   * where that can be done.
   */
  readonly preferredUri?: string | undefined;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Listens for users who come back. */
export interface RedirectReceiver {
  listen(expected: RedirectExpectation): Promise<RedirectListener>;
}

/** Listens for one user. */
export interface RedirectListener {
  /** The URI that the authorization server sends the user back to. */
  readonly redirectUri: string;
  /**
   * From now on an answer counts that has this `state`; any other is answered and ignored. Resolves
   * to the whole URL; rejects with `auth_required` after the listener's own time, and with the
   * reason of the expectation's signal. At most once.
   */
  receive(state: string): Promise<URL>;
  /** Shows the user who came back how it went, and ends. Idempotent. */
  close(end?: "signed-in" | "failed"): Promise<void>;
}
