import { HostsideError } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import type { OAuthProvider } from "./authorization-provider.ts";
import { authorizationStateOf, type AuthorizationState } from "./authorization-state.ts";
import { toAuthorizationError, toResponse, type AuthorizerInit, type OAuthFunctions } from "./authorizer-init.ts";
import type { AuthorizationRefusal } from "../exchange/authorizer.ts";
import { bodyExcerptOf } from "../exchange/excerpt.ts";
import { guardOAuthProvider, userNotAskedError, type FlowRules } from "./guarded-oauth-provider.ts";
import { watchOAuthFetch, type EndpointFailure } from "./watched-oauth-fetch.ts";

// A server that refuses whatever it is given would otherwise send the user to the browser for ever.
const maxUserAuthorizations = 3;
const authorizationWindowMs = 600_000;
const finishMs = 120_000;

// RFC 6749, 5.2, and RFC 9449, 5: what was stored is of no use any more.
const deadCredentials: ReadonlyMap<string, readonly ("client" | "tokens")[]> = new Map([
  ["invalid_grant", ["tokens"]],
  ["invalid_dpop_proof", ["tokens"]],
  ["invalid_client", ["client", "tokens"]],
  ["unauthorized_client", ["client", "tokens"]],
]);

type FlowEnd = "AUTHORIZED" | "REDIRECT";

/**
 * Gets a token after a refusal, by the SDK's flow: by redeeming a refresh token, without a user
 * where the provider needs none, or by sending the user to the authorization page if one waits.
 * Throws `auth_required` when a user has to act.
 */
export async function runOAuth(
  provider: OAuthProvider,
  refusal: AuthorizationRefusal,
  init: AuthorizerInit,
): Promise<void> {
  const { clock } = init.context;
  const state = authorizationStateOf(provider);
  const isInteractive = init.context.isInteractive();
  const since = clock.now() - authorizationWindowMs;
  state.userAuthorizations = state.userAuthorizations.filter((at) => at > since);
  if (isInteractive && state.userAuthorizations.length >= maxUserAuthorizations) throw refusal.error;
  let end: FlowEnd;
  try {
    end = await answer(provider, refusal, { init, state, isInteractive });
  } catch (error) {
    throw toAuthorizationError(error, init, refusal.error);
  }
  if (end === "AUTHORIZED") return;
  state.userAuthorizations.push(clock.now());
  throw new HostsideError("a user has to authorize the access; then finish the authorization and connect again", {
    code: "auth_required",
    serverId: init.context.serverId,
    details: refusal.error.details,
    cause: refusal.error,
  });
}

/**
 * Completes what `redirectToAuthorization` began: exchanges the code that the authorization server
 * sent back for tokens. `callback` is the whole query of the redirect, because the issuer in it has
 * to be checked (RFC 9207). Its `state` has to be the one that the user was sent with; in another
 * process, comparing it is the provider's part. Throws `auth_required` when the user declined, when
 * the code is refused, when the server names another authorization server than the user was sent
 * to, or when it takes more than two minutes.
 */
export async function redeemCallback(
  provider: OAuthProvider,
  callback: URLSearchParams,
  init: AuthorizerInit,
): Promise<void> {
  const { serverId, secrets, clock } = init.context;
  const state = authorizationStateOf(provider);
  const [code, iss] = [callback.get("code"), callback.get("iss")];
  if (code === null) {
    const reason = bodyExcerptOf(callback.get("error") ?? "no code and no error", secrets.redact, 100);
    throw new HostsideError(`the authorization was not granted: ${reason}`, { code: "auth_required", serverId });
  }
  secrets.learn(code);
  // RFC 6749, 10.12: whoever has the user open another redirect must not get a code redeemed.
  const expected = state.sent?.state;
  if (expected !== undefined && callback.get("state") !== expected) throw strangeState(serverId, callback);
  const onTimeout = (): HostsideError => unredeemed(serverId);
  const deadline = createDeadline({ timeoutMs: finishMs, onTimeout, clock });
  try {
    const flow = { init, state, isInteractive: false };
    const options = { authorizationCode: code, ...(iss !== null && { iss }) };
    const work = runFlow(provider, flow, { options, rules: { sent: state.sent ?? nowhere } });
    const end = await untilAborted(work, deadline.signal);
    if (typeof end !== "string") throw endpointError(end, init);
    state.sent = undefined;
  } catch (error) {
    throw toAuthorizationError(error, init);
  } finally {
    deadline.dispose();
  }
}

// Before this process: then the provider has to know.
const nowhere = { issuer: undefined, discovery: undefined, state: undefined };

interface Flow {
  readonly init: AuthorizerInit;
  readonly state: AuthorizationState;
  readonly isInteractive: boolean;
}

async function answer(provider: OAuthProvider, refusal: AuthorizationRefusal, flow: Flow): Promise<FlowEnd> {
  const { init, state, isInteractive } = flow;
  const oauth = await init.loadOAuth();
  const challenge = oauth.extractWWWAuthenticateParams(toResponse(refusal));
  const granted = (await provider.tokens())?.scope;
  const needsMore = refusal.status === 403;
  state.metadataUrl = ownMetadata(challenge.resourceMetadataUrl, init.serverUrl) ?? state.metadataUrl;
  // A step up asks for what is granted already as well, lest it be lost (SEP-2350).
  state.scope = oauth.computeScopeUnion(state.scope, needsMore ? granted : undefined, challenge.scope);
  // A refresh grants no new scope.
  const forceReauthorization = needsMore && oauth.isStrictScopeSuperset(state.scope, granted);
  if (forceReauthorization && !isInteractive && provider.redirectUrl !== undefined) {
    state.stepUp = refusal;
    throw userNotAskedError(init.context.serverId, "the access that was granted is not enough");
  }
  const end = await runFlow(provider, flow, { options: { forceReauthorization }, rules: {} });
  return typeof end === "string" ? end : retryWithoutRefresh(provider, flow, end);
}

// RFC 9728, 5.1. What a server names elsewhere could be anything in the host's network; its own
// well-known place is asked instead.
function ownMetadata(url: URL | undefined, serverUrl: URL): URL | undefined {
  return url?.origin === serverUrl.origin ? url : undefined;
}

async function retryWithoutRefresh(provider: OAuthProvider, flow: Flow, failure: EndpointFailure): Promise<FlowEnd> {
  const { init, isInteractive } = flow;
  const dead = deadCredentials.get(failure.error);
  // An authorization server that is out of order for now is no reason to bother the user, nor to
  // forget anything.
  if (dead === undefined || failure.refreshToken === undefined) throw endpointError(failure, init);
  // Another process may have redeemed it; then there is a new one.
  if ((await provider.tokens())?.refresh_token !== failure.refreshToken) return "AUTHORIZED";
  for (const what of dead) await invalidate(provider, what);
  if (!isInteractive) throw userNotAskedError(init.context.serverId, describeFailure(failure, init));
  const end = await runFlow(provider, flow, { options: {}, rules: { withoutRefresh: true } });
  if (typeof end === "string") return end;
  throw endpointError(end, init);
}

async function invalidate(provider: OAuthProvider, what: "client" | "tokens"): Promise<void> {
  if ("invalidateCredentials" in provider && typeof provider.invalidateCredentials === "function") {
    await provider.invalidateCredentials(what);
  }
}

interface FlowPlan {
  readonly options: Partial<Parameters<OAuthFunctions["auth"]>[1]>;
  readonly rules: Pick<FlowRules, "sent" | "withoutRefresh">;
}

// Returns what an endpoint refused with, because what to do about it depends.
async function runFlow(
  provider: OAuthProvider,
  flow: Flow,
  { options, rules }: FlowPlan,
): Promise<EndpointFailure | FlowEnd> {
  const { init, state, isInteractive } = flow;
  const { serverId, secrets } = init.context;
  const oauth = await init.loadOAuth();
  const watched = watchOAuthFetch(init.fetchFn);
  const onSent: FlowRules["onSent"] = (sent) => void (state.sent = sent);
  const isForgotten = (): boolean => state.isForgotten;
  const guarded = guardOAuthProvider(provider, { serverId, secrets, isInteractive, isForgotten, onSent, ...rules });
  try {
    return await oauth.auth(guarded, {
      serverUrl: init.serverUrl,
      fetchFn: watched.fetchFn,
      ...options,
      ...(state.scope !== undefined && { scope: state.scope }),
      ...(state.metadataUrl !== undefined && { resourceMetadataUrl: state.metadataUrl }),
    });
  } catch (error) {
    const failure = watched.failure();
    if (failure === undefined) throw error;
    return failure;
  }
}

function endpointError(failure: EndpointFailure, init: AuthorizerInit): HostsideError {
  if (failure.cause !== undefined) return toAuthorizationError(failure.cause, init);
  return new HostsideError(`authorization failed: ${describeFailure(failure, init)}`, {
    code: "auth_required",
    serverId: init.context.serverId,
    ...(failure.status !== undefined && { details: { httpStatus: failure.status } }),
  });
}

function describeFailure({ status, error, text }: EndpointFailure, { context }: AuthorizerInit): string {
  const said = bodyExcerptOf([error, text].filter((part) => part !== "").join(": "), context.redact);
  return `the authorization server answered HTTP ${status}${said === "" ? "" : ` (${said})`}`;
}

function strangeState(serverId: string, callback: URLSearchParams): HostsideError {
  const what = callback.has("state") ? "another state than" : "no state, and not";
  return new HostsideError(
    `the redirect has ${what} the one that the user was sent to the authorization page of server ${JSON.stringify(serverId)} with; its code was not redeemed. Finish with the query of the redirect that belongs to the last sign-in`,
    { code: "auth_required", serverId },
  );
}

function unredeemed(serverId: string): HostsideError {
  return new HostsideError(`the authorization was not finished within ${formatMs(finishMs)}`, {
    code: "auth_required",
    serverId,
    details: { timeoutMs: finishMs },
  });
}
