/// <reference lib="esnext.disposable" preserve="true" />
import type { AuthorizationRequest, Event, ServerCredentials, ServerSpec } from "@hostside/core";
import type { OAuthPrompt } from "./oauth-options.ts";

/** The principal of an operation. */
export interface AccountOptions {
  /** On whose behalf, as the connection has it. Default: the host itself. */
  readonly principal?: string | undefined;
}

/** Options of an operation that can be given up. */
export interface SignInOptions extends AccountOptions {
  /** Ends the wait, with `aborted`; a page that is still open is then no longer listened for. */
  readonly signal?: AbortSignal | undefined;
  /** Asked for beside what the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

type EndableOptions = Pick<SignInOptions, "principal" | "signal">;

/** Options of {@linkcode OAuth.authorize}. */
export interface AuthorizeOptions extends SignInOptions {
  /**
   * Shows this user the page, in place of the `prompt` of all. Not asked when the user is looking
   * at one already.
   */
  readonly prompt?: OAuthPrompt | undefined;
}

/** An authorization that a user has been sent to, or is to be sent to. */
export interface PendingAuthorization {
  readonly serverId: string;
  readonly principal?: string | undefined;
  /** The page of the authorization server: `https:`, or on this machine. */
  readonly url: URL;
  /** Comes back with the user, and is what the answer is recognised by. */
  readonly state: string;
  /** The time until which the answer is taken, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A sign-in by its server and principal. */
export interface AccountOwner extends AccountOptions {
  readonly serverId: string;
}

/** A sign-in of a user or program. Without any secret. */
export interface SignedIn {
  readonly serverId: string;
  readonly principal?: string | undefined;
  readonly issuer: string;
  /** With what may be secret in it masked. */
  readonly serverUrl: string;
  readonly clientId: string;
  /** Granted scopes; empty when the server did not say. */
  readonly scopes: readonly string[];
  /** When the access token ends, in milliseconds since 1970; absent when the server did not say. */
  readonly expiresAt?: number | undefined;
  /** True if it is renewed without a user. */
  readonly renews: boolean;
}

/** The way to sign in to a server. */
export interface DiscoveredAuthorization {
  readonly issuer: string;
  /** Scopes that the server names; empty when it names none. */
  readonly scopes: readonly string[];
  /** The ways to become a client that the authorization server offers. */
  readonly registration: readonly ("metadata-document" | "dynamic")[];
}

/** The result of a sign-out. */
export interface SignedOut {
  /** True if there was anything. */
  readonly existed: boolean;
  /**
   * True if the authorization server was asked to revoke them, and agreed; `undefined` where it
   * offers no revocation.
   */
  readonly revoked: boolean | undefined;
}

/** Signs users and programs in to servers, and keeps them signed in. */
export interface OAuth extends AsyncDisposable {
  /**
   * For `createConnector({ authProvider })`. Answers for each server of `auth: "oauth"`; for others
   * `undefined`.
   */
  readonly authProvider: (spec: ServerSpec, request: AuthorizationRequest) => ServerCredentials | undefined;
  /**
   * Signs in, by whatever flow the server is configured for; with the authorization code flow a
   * user is asked now, by the `prompt`. `server`: the spec, or the id of one that a connector has
   * asked about. A sign-in of the same principal at the same server that is under way is waited
   * for.
   *
   * Rejects with `auth_required` when the user declined, cancelled or did not come back in time,
   * when no way to become a client was left, and when the answer cannot be trusted;
   * `unknown_server`, `invalid_spec` (not HTTP, or not `auth: "oauth"`), `unsupported_operation`
   * (nobody to ask: no `prompt`), `not_allowed` (the guard), `store_failed`, `aborted`, `closed`,
   * and whatever the requests fail with.
   */
  authorize(server: ServerSpec | string, options?: AuthorizeOptions): Promise<SignedIn>;
  /**
   * The first half of {@linkcode authorize}, for a product with pages of its own: shows nothing to
   * anybody. Rejects like it.
   */
  begin(server: ServerSpec | string, options?: SignInOptions): Promise<PendingAuthorization>;
  /**
   * The second half: takes the URL that the user came back with, in this process or in any other
   * that shares the store. Path and query are enough: behind a proxy the origin may be another one.
   * `principal` is who came back, as the product knows the user.
   *
   * Rejects with `auth_required`, and sends nothing to anybody, for a `state` that nobody began or
   * that was answered, for a principal that did not begin it, for another path than the redirect's,
   * and for an answer of another issuer. A sign-in of another principal stays open for that
   * principal.
   */
  complete(callbackUrl: URL | string, options?: EndableOptions): Promise<SignedIn>;
  /**
   * Forgets what this process began and nobody completed, and ends its `authorize()` with
   * `auth_required`. Resolves to whether there was anything.
   */
  cancel(serverId: string, options?: AccountOptions): Promise<boolean>;
  /**
   * Finds out how to sign in to a server; `null` when it lets in everybody. If a server refuses and
   * publishes nothing, `registration` is empty: it may have the endpoints of the protocol of
   * 2025-03-26, or want a key.
   */
  discover(
    server: ServerSpec | URL | string,
    options?: Pick<SignInOptions, "signal">,
  ): Promise<DiscoveredAuthorization | null>;
  /**
   * Revokes the tokens where the authorization server offers that, for 5 s, then forgets them, also
   * when it could not be reached. Other processes see it with {@linkcode reload}, or with a request
   * that they send 10 s later. The signal ends the wait alone. Rejects with `store_failed` when
   * they could not be forgotten.
   */
  signOut(serverId: string, options?: EndableOptions): Promise<SignedOut>;
  /**
   * Forgets the tokens and asks nobody, also those that cannot be read. Resolves to whether there
   * were any; rejects with `store_failed`.
   */
  clear(serverId: string, principal?: string): Promise<boolean>;
  /**
   * Forgets the client that was registered for this server, at the authorization server of its
   * sign-in, or else at the one that it names: the next sign-in registers anew. All principals of
   * a store share that client. Resolves to whether there was one.
   */
  forgetClient(server: ServerSpec | string, options?: EndableOptions): Promise<boolean>;
  /**
   * All that is kept, sorted by server and principal; but for what this release cannot
   * read. Rejects with `store_failed`.
   */
  list(): Promise<readonly SignedIn[]>;
  /**
   * Reads from the store who is signed in to the servers that this process has connected to for a
   * principal; `onSignedIn` and `onSignedOut` fire for what another process changed. Rejects with
   * `store_failed`.
   */
  reload(options?: AccountOptions): Promise<void>;
  /**
   * Fires when somebody has signed in, also as another user, in this process or in one whose write
   * was read: not for a refresh.
   */
  readonly onSignedIn: Event<SignedIn>;
  /** Fires when somebody has signed out, in this process or in one whose write was read. */
  readonly onSignedOut: Event<AccountOwner>;
  /**
   * Ends what is under way; keeps what is kept. A refresh token that was sent is waited for, 40 s
   * at most, because its answer is the only copy of a sign-in; and what could not be saved is tried
   * once more, for 5 s. Idempotent.
   */
  close(): Promise<void>;
}
