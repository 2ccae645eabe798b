import { HostsideError, type AuthorizationFetch, type AuthorizationRequest } from "@hostside/core";
import { kindOf, specError } from "@hostside/core/implement";
import type { TransportContext } from "../context/transport-context.ts";
import { isAuthorizationProvider, type AuthorizationProvider } from "./auth/authorization-provider.ts";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import type { HttpOptions } from "./http-options.ts";
import { openExchange, type ExchangeContext, type HttpServerSpec } from "./open-exchange.ts";

/** What credentials are asked for by. */
export interface AuthorizationContext extends ExchangeContext, Pick<TransportContext, "isInteractive" | "secrets"> {
  readonly options: ExchangeContext["options"] & Pick<HttpOptions, "authProvider">;
}

/**
 * Asks the host whose credentials a server gets, if any. Throws `internal_error` for an answer that
 * gives none.
 */
export function askAuthorization(
  spec: HttpServerSpec,
  context: AuthorizationContext,
): AuthorizationProvider | undefined {
  const { principal, isInteractive, options } = context;
  const request: AuthorizationRequest = {
    ...(principal !== undefined && { principal }),
    interactive: isInteractive(),
    fetch: createAuthorizationFetch(spec, context),
  };
  const given: unknown = options.authProvider?.(spec, request) ?? undefined;
  if (given === undefined || isAuthorizationProvider(given)) return given;
  throw new HostsideError(
    `authProvider() answered ${kindOf(given)} for server ${JSON.stringify(spec.id)}, which gives no credentials; nothing was sent`,
    { code: "internal_error", serverId: spec.id, outcome: "not-sent" },
  );
}

/** Like {@linkcode askAuthorization}. Throws `invalid_spec` when there are none. */
export function requestAuthorization(spec: HttpServerSpec, context: AuthorizationContext): AuthorizationProvider {
  const provider = askAuthorization(spec, context);
  if (provider === undefined) throw specError(spec.id, "auth", "needs a connector with an authProvider");
  return provider;
}

/**
 * A `fetch` that needs no connection to the server: each request has an exchange of its own, which
 * ends with its answer.
 */
function createAuthorizationFetch(spec: HttpServerSpec, context: AuthorizationContext): AuthorizationFetch {
  // Of the rest nothing is kept alive, because whoever has credentials may keep this for good.
  const { serverId, settings, redact, secrets, clock, principal } = context;
  const { fetch, guard, proxy, ca } = context.options;
  const kept = { serverId, settings, redact, secrets, clock, principal, options: { fetch, guard, proxy, ca } };
  return async (url, init) => {
    const exchange = openExchange(spec, kept);
    try {
      return await createExchangeFetch({ exchange, context: kept })(url, init);
    } finally {
      exchange.close();
    }
  };
}
