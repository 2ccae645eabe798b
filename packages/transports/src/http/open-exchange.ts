import { createDefaultExchange } from "#http-exchange";
import {
  HostsideError,
  type AuthorizationFetch,
  type AuthorizationRequest,
  type HttpEntry,
  type ServerSpec,
} from "@hostside/core";
import { kindOf, specError } from "@hostside/core/implement";
import type { TransportContext } from "../context/transport-context.ts";
import { isAuthorizationProvider, type AuthorizationProvider } from "./auth/authorization-provider.ts";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import { createFetchExchange } from "./exchange/fetch-exchange.ts";
import { toTrust, type HttpClient } from "./exchange/http-exchange.ts";
import { createHttpGuard } from "./exchange/http-guard.ts";
import type { HttpOptions } from "./http-options.ts";

/** A spec whose server is reached by HTTP. */
export type HttpServerSpec = HttpEntry & Pick<ServerSpec, "id">;

/** What an exchange goes by. */
export interface ExchangeContext extends Pick<TransportContext, "principal" | "redact" | "serverId" | "settings"> {
  readonly options: Pick<HttpOptions, "ca" | "fetch" | "guard" | "proxy">;
}

/** The HTTP of a connector for one server, past its guard. */
export function openExchange({ url, tls }: HttpServerSpec, context: ExchangeContext): HttpClient {
  const { serverId, settings, redact, principal, options } = context;
  const { maxMessageBytes } = settings.limits;
  const { proxy } = options;
  const guard =
    options.guard && createHttpGuard({ guard: options.guard, server: { serverId, principal }, serverUrl: url });
  const about = { serverId, redact, guard };
  if (options.fetch === undefined) {
    const trust = toTrust(options.ca, tls, new URL(url).origin);
    return createDefaultExchange({ ...about, maxMessageBytes, proxy, trust });
  }
  if (tls !== undefined) throw specError(serverId, "tls", "cannot be used by a connector with a fetch of its own");
  return createFetchExchange(options.fetch, about);
}

/** What credentials are asked for by. */
interface AuthorizationContext extends ExchangeContext, Pick<TransportContext, "isInteractive" | "secrets"> {
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
  const { serverId, settings, redact, secrets, principal } = context;
  const { fetch, guard, proxy, ca } = context.options;
  const kept = { serverId, settings, redact, secrets, principal, options: { fetch, guard, proxy, ca } };
  return async (url, init) => {
    const exchange = openExchange(spec, kept);
    try {
      return await createExchangeFetch({ exchange, context: kept })(url, init);
    } finally {
      exchange.close();
    }
  };
}
