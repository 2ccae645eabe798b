import type {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isStrictScopeSuperset,
} from "@modelcontextprotocol/client";
import { isHostsideError, HostsideError } from "@hostside/core";
import { safeCause, withErrorContext } from "@hostside/core/implement";
import type { TransportContext } from "../../context/transport-context.ts";
import type { AuthorizationProvider } from "./authorization-provider.ts";
import type { AuthorizationRefusal } from "../exchange/authorizer.ts";
import { bodyExcerptOf } from "../exchange/excerpt.ts";
import type { OAuthFetch } from "./watched-oauth-fetch.ts";

/** What the SDK is needed for. Its module, loaded when the first refusal asks for it. */
export interface OAuthFunctions {
  readonly auth: typeof auth;
  readonly computeScopeUnion: typeof computeScopeUnion;
  readonly extractWWWAuthenticateParams: typeof extractWWWAuthenticateParams;
  readonly isStrictScopeSuperset: typeof isStrictScopeSuperset;
}

/** What an authorizer is made from. */
export interface AuthorizerInit {
  readonly context: TransportContext;
  readonly provider: AuthorizationProvider;
  readonly serverUrl: URL;
  readonly fetchFn: OAuthFetch;
  readonly loadOAuth: () => Promise<OAuthFunctions>;
}

/**
 * What a provider, or the SDK on its behalf, failed with; `refusal` is what it was to answer.
 * Whatever became of the requests to an authorization server, the one that needs the credentials
 * did not run.
 */
export function toAuthorizationError(
  error: unknown,
  { context: { serverId, redact } }: AuthorizerInit,
  refusal?: HostsideError,
): HostsideError {
  if (isHostsideError(error)) return withoutDoubt(withRefusal(error, refusal), serverId, refusal);
  // Failures of our own fetch.
  if (error instanceof Error && isHostsideError(error.cause)) return withoutDoubt(error.cause, serverId, refusal);
  const reason = error instanceof Error ? bodyExcerptOf(`${error.name}: ${error.message}`, redact) : "no reason given";
  return new HostsideError(`authorization failed: ${reason}`, {
    code: "auth_required",
    serverId,
    details: refusal?.details,
    cause: safeCause(error, redact),
  });
}

function withoutDoubt(error: HostsideError, serverId: string, refusal: HostsideError | undefined): HostsideError {
  if (error.outcome !== "unknown" && error.serverId !== undefined) return error;
  const outcome = error.outcome === "unknown" ? (refusal === undefined ? "not-sent" : "failed") : error.outcome;
  return withErrorContext(error, { outcome, serverId: error.serverId ?? serverId });
}

function withRefusal(error: HostsideError, refusal: HostsideError | undefined): HostsideError {
  if (refusal === undefined || error === refusal) return error;
  if (error.code !== "auth_required" && error.code !== "forbidden") return error;
  return withErrorContext(error, { details: { ...refusal.details, ...error.details } });
}

/** A refusal as a response without a body. */
export function toResponse({ status, challenge }: Pick<AuthorizationRefusal, "challenge" | "status">): Response {
  return new Response(null, { status, headers: challenge === undefined ? {} : { "www-authenticate": challenge } });
}
