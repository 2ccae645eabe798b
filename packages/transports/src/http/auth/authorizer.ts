import { isHostsideError, HostsideError, type AuthorizationFetch, type CredentialHeaders } from "@hostside/core";
import {
  createDeadline,
  formatMs,
  onAbort,
  reportUncaught,
  safeCause,
  untilAborted,
  withErrorContext,
} from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import type { Authorizer, AuthorizationRefusal } from "../exchange/authorized-call.ts";
import { bodyExcerptOf } from "../../text/safe-excerpt.ts";
import { isServerCredentials, type AuthorizationProvider, type TokenSource } from "./authorization-provider.ts";

/** The parts of a authorizer. */
export interface AuthorizerInit {
  readonly context: ServerContext;
  readonly provider: AuthorizationProvider;
  readonly serverUrl: URL;
  readonly fetchFn: AuthorizationFetch;
}

/**
 * How long a request waits for other credentials: several requests to an authorization server, each
 * of which has 30 s.
 */
const recoveryMs = 120_000;

// By provider, because both outlive the connection that was refused.
/** The latest refusal for want of scope that no user was there to answer. */
const stepUps = new WeakMap<AuthorizationProvider, AuthorizationRefusal>();
const renewals = new WeakMap<TokenSource, Promise<void>>();

/** Forgets what an authorization left half done. */
export function forgetAuthorization(provider: AuthorizationProvider): void {
  stepUps.delete(provider);
}

/** Makes an authorizer. */
export function createAuthorizer(init: AuthorizerInit): Authorizer {
  const { provider, context } = init;
  const isInteractive = (): boolean => context.isInteractive();
  if (!isServerCredentials(provider)) return createTokenAuthorizer(init, provider);
  const ask = async (refusal: AuthorizationRefusal, signal: AbortSignal, interactive: boolean): Promise<void> => {
    const { status, challenge, request, sent } = refusal;
    try {
      await withinRecovery(init, signal, (inTime) =>
        provider.onRefused({ status, challenge, request, sent, interactive, signal: inTime }),
      );
    } catch (reason) {
      const error = toAuthorizationError(reason, init, refusal.error);
      // The next connection would not miss the access, and would ask nobody for it.
      if (status === 403 && error.code === "auth_required" && !interactive) stepUps.set(provider, refusal);
      throw error;
    }
  };
  return {
    async headersFor(request) {
      try {
        return await provider.headersFor(request);
      } catch (error) {
        throw toAuthorizationError(error, init);
      }
    },
    ...(provider.onAnswered !== undefined && {
      onAnswered(request, header) {
        try {
          provider.onAnswered?.(request, (name) => header(name.toLowerCase()));
        } catch (error) {
          reportUncaught(error);
        }
      },
    }),
    isOutstanding: () => stepUps.has(provider) && isInteractive(),
    async catchUp(signal) {
      const refusal = stepUps.get(provider);
      stepUps.delete(provider);
      if (refusal !== undefined) await ask(refusal, signal, isInteractive());
    },
    recover: (refusal, signal) => ask(refusal, signal, isInteractive()),
    recoverQuietly: (refusal, signal) => ask(refusal, signal, false),
  };
}

function createTokenAuthorizer(init: AuthorizerInit, source: TokenSource): Authorizer {
  const renew = async ({ status, challenge, error }: AuthorizationRefusal): Promise<void> => {
    const response = new Response(null, {
      status,
      headers: challenge === undefined ? {} : { "www-authenticate": challenge },
    });
    try {
      await source.onUnauthorized?.({ response, serverUrl: init.serverUrl, fetchFn: init.fetchFn });
    } catch (reason) {
      throw toAuthorizationError(reason, init, error);
    }
  };
  const forget = (work: Promise<void>): void => {
    if (renewals.get(source) === work) renewals.delete(source);
  };
  // Whoever is the first to need it may leave before it is there.
  const begin = (refusal: AuthorizationRefusal): Promise<void> => {
    const work = renew(refusal).finally(() => forget(work));
    renewals.set(source, work);
    return work;
  };
  const headersFor = async (): Promise<CredentialHeaders> => {
    try {
      const token = await source.token();
      return token ? { authorization: `Bearer ${token}` } : {};
    } catch (error) {
      throw toAuthorizationError(error, init);
    }
  };
  return {
    headersFor,
    isOutstanding: () => false,
    catchUp: async () => undefined,
    async recover(refusal, signal) {
      if (refusal.status !== 401 || source.onUnauthorized === undefined) throw refusal.error;
      // Another request may have been refused, and have got a new token, since this one was sent.
      const isSame = async (): Promise<boolean> =>
        (await headersFor())["authorization"] === refusal.sent["authorization"];
      if (!renewals.has(source) && !(await isSame())) return;
      const work = renewals.get(source) ?? begin(refusal);
      // After a hang, the next request asks anew.
      await withinRecovery(init, signal, (inTime) => {
        onAbort(inTime, () => signal.aborted || forget(work));
        return work;
      });
    },
  };
}

/** Waits for other credentials, for two minutes at most. */
async function withinRecovery(
  { context: { serverId } }: AuthorizerInit,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const onTimeout = (): HostsideError =>
    new HostsideError(`the authorization provider did not come back within ${formatMs(recoveryMs)}`, {
      code: "auth_required",
      serverId,
      details: { timeoutMs: recoveryMs },
    });
  const deadline = createDeadline({ timeoutMs: recoveryMs, signal, onTimeout });
  const begun = async (): Promise<void> => work(deadline.signal);
  try {
    await untilAborted(begun(), deadline.signal);
  } finally {
    deadline.dispose();
  }
}

/**
 * Makes the error that a provider failed with; `refusal` is what it was to answer. The request that
 * needs the credentials did not run, whatever became of those to an authorization server.
 */
function toAuthorizationError(
  error: unknown,
  { context: { serverId, redact } }: AuthorizerInit,
  refusal?: HostsideError,
): HostsideError {
  // The cause of a TypeError of our own fetch.
  const known = isHostsideError(error) ? error : error instanceof Error ? error.cause : undefined;
  if (isHostsideError(known)) {
    const isRefused = known.code === "auth_required" || known.code === "forbidden";
    const outcome = known.outcome !== "unknown" ? known.outcome : refusal === undefined ? "not-sent" : "failed";
    const details = isRefused ? { ...refusal?.details, ...known.details } : known.details;
    return withErrorContext(known, { outcome, serverId: known.serverId ?? serverId, details });
  }
  const reason = error instanceof Error ? bodyExcerptOf(`${error.name}: ${error.message}`, redact) : "no reason given";
  return new HostsideError(`authorization failed: ${reason}`, {
    code: "auth_required",
    serverId,
    details: refusal?.details,
    cause: safeCause(error, redact),
  });
}
