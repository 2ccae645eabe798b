import type { ServerCredentials } from "@hostside/core";
import { createDeadline, reportUncaught, untilAborted } from "@hostside/core/implement";
import type { Authorizer, AuthorizationRefusal } from "../exchange/authorizer.ts";
import { authorizationStateOf } from "./authorization-state.ts";
import { toAuthorizationError, type AuthorizerInit } from "./authorizer-init.ts";
import { recoveryMs, tookTooLong } from "./recovery-time.ts";

/**
 * An authorizer that asks whoever has the credentials, who decides what a refusal means and sees to
 * it that one attempt serves all.
 */
export function createCredentialsAuthorizer(init: AuthorizerInit, credentials: ServerCredentials): Authorizer {
  const { context } = init;
  const { serverId, clock } = context;
  const ask = async (refusal: AuthorizationRefusal, signal: AbortSignal, interactive: boolean): Promise<void> => {
    const { status, challenge, request, sent } = refusal;
    const onTimeout = (): Error => tookTooLong(serverId);
    const deadline = createDeadline({ timeoutMs: recoveryMs, signal, onTimeout, clock });
    const answer = async (): Promise<void> =>
      credentials.onRefused({ status, challenge, request, sent, interactive, signal: deadline.signal });
    try {
      await untilAborted(answer(), deadline.signal);
    } catch (reason) {
      const error = toAuthorizationError(reason, init, refusal.error);
      // More access than there is: the next connection would not miss it, and so it would ask
      // nobody.
      if (status === 403 && error.code === "auth_required" && !interactive)
        authorizationStateOf(credentials).stepUp = refusal;
      throw error;
    } finally {
      deadline.dispose();
    }
  };
  return {
    async headersFor(request) {
      try {
        return await credentials.headersFor(request);
      } catch (error) {
        throw toAuthorizationError(error, init);
      }
    },
    ...(credentials.onAnswered !== undefined && {
      onAnswered(request, header) {
        try {
          credentials.onAnswered?.(request, (name) => header(name.toLowerCase()));
        } catch (error) {
          reportUncaught(error);
        }
      },
    }),
    isOutstanding: () => authorizationStateOf(credentials).stepUp !== undefined && context.isInteractive(),
    async catchUp(signal) {
      const state = authorizationStateOf(credentials);
      const { stepUp } = state;
      state.stepUp = undefined;
      if (stepUp !== undefined) await ask(stepUp, signal, context.isInteractive());
    },
    recover: (refusal, signal) => ask(refusal, signal, context.isInteractive()),
    recoverQuietly: (refusal, signal) => ask(refusal, signal, false),
  };
}
