import type { CredentialHeaders } from "@hostside/core";
import { createDeadline, untilAborted } from "@hostside/core/implement";
import {
  isOAuthProvider,
  isServerCredentials,
  type OAuthProvider,
  type TokenSource,
} from "./authorization-provider.ts";
import { toAuthorizationError, toResponse, type AuthorizerInit } from "./authorizer-init.ts";
import type { Authorizer, AuthorizationRefusal } from "../exchange/authorizer.ts";
import { authorizationStateOf, type AuthorizationState, type PendingRecovery } from "./authorization-state.ts";
import { createCredentialsAuthorizer } from "./credentials-authorizer.ts";
import { recoveryMs, tookTooLong } from "./recovery-time.ts";
import { runOAuth } from "./run-oauth.ts";

/** Makes an authorizer. */
export function createAuthorizer(init: AuthorizerInit): Authorizer {
  const { provider } = init;
  return isServerCredentials(provider)
    ? createCredentialsAuthorizer(init, provider)
    : createTokenAuthorizer(init, provider);
}

function createTokenAuthorizer(init: AuthorizerInit, provider: OAuthProvider | TokenSource): Authorizer {
  const { context, fetchFn, serverUrl } = init;
  const { serverId, clock } = context;
  // Looked up each time: the state is another one once credentials were cleared.
  const stateOf = (): AuthorizationState => authorizationStateOf(provider);
  const headersFor = createTokenHeaders(init, provider);

  const attempt = async (refusal: AuthorizationRefusal): Promise<void> => {
    if (isOAuthProvider(provider)) return runOAuth(provider, refusal, init);
    if (refusal.status !== 401 || provider.onUnauthorized === undefined) throw refusal.error;
    try {
      await provider.onUnauthorized({ response: toResponse(refusal), serverUrl, fetchFn });
    } catch (error) {
      throw toAuthorizationError(error, init, refusal.error);
    }
  };
  const forget = (state: AuthorizationState, recovery: PendingRecovery): void => {
    if (state.recovery === recovery) state.recovery = undefined;
  };
  const begin = (state: AuthorizationState, refusal: AuthorizationRefusal): PendingRecovery => {
    const recovery = { work: attempt(refusal), expiresAt: clock.now() + recoveryMs };
    recovery.work.then(
      () => forget(state, recovery),
      () => forget(state, recovery),
    );
    return recovery;
  };
  // The timer is the waiter's own, so that none is left when the last one has gone; the attempt
  // itself may go on, because what it has redeemed must be saved.
  const join = async (refusal: AuthorizationRefusal, signal: AbortSignal): Promise<void> => {
    const state = stateOf();
    const recovery = (state.recovery ??= begin(state, refusal));
    const deadline = createDeadline({
      timeoutMs: Math.max(1, recovery.expiresAt - clock.now()),
      signal,
      onTimeout() {
        forget(state, recovery);
        return tookTooLong(serverId);
      },
      clock,
    });
    try {
      await untilAborted(recovery.work, deadline.signal);
    } finally {
      deadline.dispose();
    }
  };
  return {
    headersFor,
    isOutstanding: () => stateOf().stepUp !== undefined && context.isInteractive(),
    async catchUp(signal) {
      const state = stateOf();
      const { stepUp } = state;
      state.stepUp = undefined;
      if (stepUp !== undefined) await join(stepUp, signal);
    },
    async recover(refusal, signal) {
      if (refusal.status === 403 && !/insufficient_scope/.test(refusal.challenge ?? "")) throw refusal.error;
      // Another request may have been refused, and have got a new token, since this one was sent.
      const isSame = async (): Promise<boolean> =>
        (await headersFor())["authorization"] === refusal.sent["authorization"];
      if (stateOf().recovery === undefined && !(await isSame())) return;
      await join(refusal, signal);
    },
  };
}

/** What requests are sent with, by the token of now. */
function createTokenHeaders(
  init: AuthorizerInit,
  provider: OAuthProvider | TokenSource,
): () => Promise<CredentialHeaders> {
  const { secrets } = init.context;
  let knowsClient = false;
  let latest = "";
  let headers: CredentialHeaders = {};
  const withToken = (given: string | undefined): CredentialHeaders => {
    const token = given ?? "";
    if (token === latest) return headers;
    latest = token;
    headers = token === "" ? {} : { authorization: `Bearer ${token}` };
    return headers;
  };
  return async () => {
    try {
      if (!isOAuthProvider(provider)) return withToken(await provider.token());
      if (!knowsClient) {
        // A server may know from another connection what this one has not sent yet.
        knowsClient = true;
        secrets.learn((await provider.clientInformation())?.client_secret ?? "");
      }
      const tokens = await provider.tokens();
      if (tokens?.refresh_token !== undefined) secrets.learn(tokens.refresh_token);
      return withToken(tokens?.access_token);
    } catch (error) {
      throw toAuthorizationError(error, init);
    }
  };
}
