import type {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isStrictScopeSuperset,
} from "@modelcontextprotocol/client";
import {
  createDeadline,
  formatMs,
  isToolportError,
  systemClock,
  ToolportError,
  type Clock,
  type Redactor,
} from "@toolport/core";
import { untilAborted } from "../until-aborted.ts";
import { isOAuthProvider, type AuthorizationProvider, type OAuthProvider } from "./authorization-provider.ts";
import { excerptOf } from "./excerpt.ts";

/** Gets credentials for the requests of one connection. */
export interface Authorizer {
  token(): Promise<string | undefined>;
  /**
   * Answers a refusal with HTTP 401 or 403. Resolves when the same request is worth sending again, with what {@linkcode token}
   * says then. Rejects with the refusal's error when nothing can be done, or with `auth_required` when a user has to act. Callers
   * that are refused together share one attempt, and so do connections that share a provider.
   */
  recover(refusal: Refusal): Promise<void>;
}

/** A request that was refused for its credentials. */
export interface Refusal {
  readonly status: number;
  /** The `WWW-Authenticate` header. */
  readonly challenge: string | undefined;
  /** The token that was refused. */
  readonly token: string | undefined;
  readonly error: ToolportError;
}

/** What the SDK is needed for. Its module, loaded when the first refusal asks for it. */
export interface OAuthModule {
  readonly auth: typeof auth;
  readonly computeScopeUnion: typeof computeScopeUnion;
  readonly extractWWWAuthenticateParams: typeof extractWWWAuthenticateParams;
  readonly isStrictScopeSuperset: typeof isStrictScopeSuperset;
}

/** What an {@linkcode Authorizer} is made from. */
export interface AuthorizerInit {
  readonly provider: AuthorizationProvider;
  readonly serverId: string;
  readonly serverUrl: URL;
  readonly redact: Redactor;
  readonly fetchFn: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly loadOAuth: () => Promise<OAuthModule>;
  readonly clock?: Clock | undefined;
}

// A server that refuses whatever it is given would otherwise send the user to the browser for ever.
const maxUserAuthorizations = 3;
const authorizationWindowMs = 600_000;
// Several requests to an authorization server, each of which has 30 s.
const recoveryMs = 120_000;

/** What outlives a connection, because the user's answer may come when the connection that asked is gone. */
interface ProviderState {
  recovery: Promise<void> | undefined;
  /** When users were sent to their browser. */
  userAuthorizations: number[];
  metadataUrl: URL | undefined;
  scope: string | undefined;
}

const states = new WeakMap<AuthorizationProvider, ProviderState>();

/** Makes an authorizer. */
export function createAuthorizer(init: AuthorizerInit): Authorizer {
  const { provider, fetchFn, serverId, serverUrl, clock = systemClock } = init;
  const state = stateOf(provider);
  const token = async (): Promise<string | undefined> => {
    try {
      return isOAuthProvider(provider) ? (await provider.tokens())?.access_token : await provider.token();
    } catch (error) {
      throw fromAuthError(error, init);
    }
  };

  const attempt = async (refusal: Refusal): Promise<void> => {
    if (isOAuthProvider(provider)) return authorize(provider, refusal, init);
    if (refusal.status !== 401 || provider.onUnauthorized === undefined) throw refusal.error;
    try {
      await provider.onUnauthorized({ response: toResponse(refusal), serverUrl, fetchFn });
    } catch (error) {
      throw fromAuthError(error, init, refusal.error);
    }
  };
  // Everybody waits for the one attempt, so that a provider that hangs must not hold it for ever.
  const attemptInTime = async (refusal: Refusal): Promise<void> => {
    const deadline = createDeadline({ timeoutMs: recoveryMs, onTimeout: () => tookTooLong(serverId), clock });
    try {
      await untilAborted(attempt(refusal), deadline.signal);
    } finally {
      deadline.dispose();
    }
  };
  return {
    token,
    async recover(refusal) {
      if (refusal.status === 403 && !/insufficient_scope/.test(refusal.challenge ?? "")) throw refusal.error;
      // Another request may have been refused, and have got a new token, since this one was sent.
      if (state.recovery === undefined && (await token()) !== refusal.token) return;
      state.recovery ??= attemptInTime(refusal).finally(() => {
        state.recovery = undefined;
      });
      await state.recovery;
    },
  };
}

/**
 * Completes what `redirectToAuthorization` began: exchanges the code that the authorization server sent back for tokens. `callback`
 * is the whole query of the redirect, because the issuer in it has to be checked (RFC 9207); comparing its `state` is the
 * provider's part. Throws `auth_required` when the user declined or the code is refused.
 */
export async function finishAuthorization(callback: URLSearchParams, init: AuthorizerInit): Promise<void> {
  const { provider, serverId, serverUrl, fetchFn, redact } = init;
  if (!isOAuthProvider(provider)) throw new TypeError("finishAuthorization() needs an OAuthProvider");
  const state = stateOf(provider);
  const [code, iss] = [callback.get("code"), callback.get("iss")];
  if (code === null) {
    const reason = excerptOf(callback.get("error") ?? "no code and no error", redact, 100);
    throw new ToolportError(`the authorization was not granted: ${reason}`, { code: "auth_required", serverId });
  }
  try {
    const oauth = await init.loadOAuth();
    await oauth.auth(provider, {
      serverUrl,
      authorizationCode: code,
      fetchFn,
      ...(iss !== null && { iss }),
      ...(state.scope !== undefined && { scope: state.scope }),
      ...(state.metadataUrl !== undefined && { resourceMetadataUrl: state.metadataUrl }),
    });
  } catch (error) {
    throw fromAuthError(error, init);
  }
}

async function authorize(provider: OAuthProvider, refusal: Refusal, init: AuthorizerInit): Promise<void> {
  const { serverUrl, fetchFn, clock = systemClock } = init;
  const state = stateOf(provider);
  const since = clock.now() - authorizationWindowMs;
  state.userAuthorizations = state.userAuthorizations.filter((at) => at > since);
  if (state.userAuthorizations.length >= maxUserAuthorizations) throw refusal.error;
  let result: "AUTHORIZED" | "REDIRECT";
  try {
    const oauth = await init.loadOAuth();
    const challenge = oauth.extractWWWAuthenticateParams(toResponse(refusal));
    const granted = (await provider.tokens())?.scope;
    const needsMore = refusal.status === 403;
    state.metadataUrl = challenge.resourceMetadataUrl ?? state.metadataUrl;
    // A step up asks for what is granted already as well, lest it be lost (SEP-2350).
    state.scope = oauth.computeScopeUnion(state.scope, needsMore ? granted : undefined, challenge.scope);
    result = await oauth.auth(provider, {
      serverUrl,
      fetchFn,
      // A refresh grants no new scope.
      forceReauthorization: needsMore && oauth.isStrictScopeSuperset(state.scope, granted),
      ...(state.scope !== undefined && { scope: state.scope }),
      ...(state.metadataUrl !== undefined && { resourceMetadataUrl: state.metadataUrl }),
    });
  } catch (error) {
    throw fromAuthError(error, init, refusal.error);
  }
  if (result === "AUTHORIZED") return;
  state.userAuthorizations.push(clock.now());
  throw new ToolportError("a user has to authorize the access; then finish the authorization and connect again", {
    code: "auth_required",
    serverId: init.serverId,
    details: refusal.error.details,
    cause: refusal.error,
  });
}

function fromAuthError(error: unknown, { serverId, redact }: AuthorizerInit, refusal?: ToolportError): ToolportError {
  if (isToolportError(error)) return error;
  // Failures of our own fetch.
  if (error instanceof Error && isToolportError(error.cause)) return error.cause;
  const reason = error instanceof Error ? excerptOf(`${error.name}: ${error.message}`, redact) : "no reason given";
  return new ToolportError(`authorization failed: ${reason}`, {
    code: "auth_required",
    serverId,
    details: refusal?.details,
    cause: error,
  });
}

function tookTooLong(serverId: string): ToolportError {
  return new ToolportError(`the authorization provider did not come back within ${formatMs(recoveryMs)}`, {
    code: "auth_required",
    serverId,
    details: { timeoutMs: recoveryMs },
  });
}

function toResponse({ status, challenge }: Refusal): Response {
  return new Response(null, { status, headers: challenge === undefined ? {} : { "www-authenticate": challenge } });
}

function stateOf(provider: AuthorizationProvider): ProviderState {
  let state = states.get(provider);
  if (state === undefined) {
    state = { recovery: undefined, userAuthorizations: [], metadataUrl: undefined, scope: undefined };
    states.set(provider, state);
  }
  return state;
}
