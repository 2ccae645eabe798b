import type { ServerSpec } from "@hostside/core";
import { checkHttpSpec, serverTypeOf, specError } from "@hostside/core/implement";
import type { Transport } from "../message/transport.ts";
import { createTransportContext, withoutOpening, type TransportContext } from "../context/transport-context.ts";
import { isOAuthProvider, isServerCredentials } from "./auth/authorization-provider.ts";
import { createAuthorizer } from "./auth/create-authorizer.ts";
import type { AuthorizerInit } from "./auth/authorizer-init.ts";
import { loadOAuth } from "./auth/load-oauth.ts";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import { createHttpEndpoint, type HttpEndpoint } from "./exchange/http-endpoint.ts";
import type { HttpClient } from "./exchange/http-exchange.ts";
import { forgetAuthorization } from "./auth/authorization-state.ts";
import { createHostHeaders } from "./exchange/host-headers.ts";
import type { HttpOptions } from "./http-options.ts";
export { openAuthorizationFetch } from "./open-authorization-fetch.ts";
import { openExchange, type HttpServerSpec } from "./open-exchange.ts";
import { askAuthorization, requestAuthorization } from "./request-authorization.ts";
import { redeemCallback } from "./auth/run-oauth.ts";
import { createSseTransport } from "./sse/sse-transport.ts";
import { createStreamableHttpTransport } from "./streamable/streamable-http-transport.ts";

/** What the openers for HTTP go by. */
export interface HttpContext extends TransportContext {
  readonly options: Pick<HttpOptions, "authProvider" | "ca" | "fetch" | "guard" | "headersFor" | "proxy">;
}

/**
 * Makes a Streamable HTTP transport. Nothing is sent before its first `send()`. Throws
 * `invalid_spec` as {@linkcode checkHttpSpec} does, and for `auth` without a provider.
 */
export async function openStreamableHttp(spec: ServerSpec, context: HttpContext): Promise<Transport> {
  const lasting = withoutOpening(context);
  return createStreamableHttpTransport({ context: lasting, endpoint: openEndpoint(spec, context, lasting) });
}

/**
 * Makes a transport of the old HTTP+SSE kind; its `start()` opens the stream. Throws as
 * {@linkcode openStreamableHttp}.
 */
export async function openSse(spec: ServerSpec, context: HttpContext): Promise<Transport> {
  return createSseTransport({ context, endpoint: openEndpoint(spec, context) });
}

/**
 * Completes an OAuth authorization that an `auth_required` asked for; connect again afterwards.
 * `callback` is the whole query of the redirect, because the issuer in it has to be checked (RFC
 * 9207); comparing its `state` is the provider's part. The code goes to the authorization server
 * that the user was sent to and to no other; in another process than the one that sent them, only a
 * provider with `discoveryState` knows which that was. Settles within two minutes. Throws
 * `auth_required` when the user declined, the code was refused or the server names another
 * authorization server by now, and `invalid_spec` when the server does not use OAuth.
 */
export async function finishHttpAuthorization(
  spec: ServerSpec,
  callback: URLSearchParams,
  options: HttpOptions & { readonly principal?: string | undefined },
): Promise<void> {
  const http = assertHttp(spec);
  if (http.auth !== "oauth") throw specError(spec.id, "auth", 'must be "oauth"');
  const context = contextWithoutConnection(http, options);
  const exchange = openExchange(http, context);
  try {
    const init = authorizerInit(http, context, exchange);
    if (isServerCredentials(init.provider))
      throw new TypeError(
        "finishAuthorization() needs an OAuthProvider; what credentials of one's own began, whoever made them completes: complete() of createOAuth()",
      );
    if (!isOAuthProvider(init.provider)) throw new TypeError("finishAuthorization() needs an OAuthProvider");
    await redeemCallback(init.provider, callback, init);
  } finally {
    exchange.close();
  }
}

function openEndpoint(spec: ServerSpec, context: HttpContext, lasting = withoutOpening(context)): HttpEndpoint {
  const http = assertHttp(spec);
  const exchange = openExchange(http, context);
  const { headersFor } = context.options;
  const needsAuthorizer = http.auth !== undefined;
  return createHttpEndpoint({
    spec: http,
    exchange,
    authorizer: needsAuthorizer ? createAuthorizer(authorizerInit(http, context, exchange)) : undefined,
    hostHeaders: headersFor && createHostHeaders({ spec: http, headersFor, context }),
    context: lasting,
  });
}

function assertHttp(spec: ServerSpec): HttpServerSpec {
  if (spec.url === undefined) throw new TypeError(`a server of type ${serverTypeOf(spec)} is not reached by HTTP`);
  checkHttpSpec(spec);
  return spec;
}

function authorizerInit(spec: HttpServerSpec, context: HttpContext, exchange: HttpClient): AuthorizerInit {
  return {
    context,
    provider: requestAuthorization(spec, context),
    serverUrl: new URL(spec.url),
    fetchFn: createExchangeFetch({ exchange, context }),
    loadOAuth,
  };
}

// What a transport would report is nobody's here.
function contextWithoutConnection(
  spec: HttpServerSpec,
  options: HttpOptions & { readonly principal?: string | undefined },
): HttpContext {
  const { clock, principal } = options;
  const { signal } = new AbortController();
  const context = createTransportContext(spec, { signal, onDiagnostic: ignore, onLog: ignore, clock, principal });
  return { ...context, options };
}

/**
 * Forgets what a connector and its authorization provider hold to be let in by this server, for
 * this principal: the `clear` of its credentials or the provider's `invalidateCredentials("all")`,
 * where it has one, and what an authorization left half done.
 */
export async function clearHttpCredentials(
  spec: ServerSpec,
  options: HttpOptions,
  principal: string | undefined,
): Promise<void> {
  if (spec.url === undefined || spec.auth === undefined || options.authProvider === undefined) return;
  const provider = askAuthorization(spec, contextWithoutConnection(spec, { ...options, principal }));
  if (provider === undefined) return;
  forgetAuthorization(provider);
  if (isServerCredentials(provider)) return provider.clear?.();
  if ("invalidateCredentials" in provider && typeof provider.invalidateCredentials === "function")
    await provider.invalidateCredentials("all");
}

function ignore(): void {
  // Nothing is connected.
}
