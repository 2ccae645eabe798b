import type { HttpTransportSpec, ServerSpec } from "@toolport/core";
import { specError } from "@toolport/core/implement";
import { createDefaultExchange } from "#http-exchange";
import type { Transport } from "../message/transport.ts";
import { createTransportContext, type TransportContext } from "../context/transport-context.ts";
import { isOAuthProvider } from "./auth/authorization-provider.ts";
import { createAuthorizer } from "./auth/create-authorizer.ts";
import type { AuthorizerInit } from "./auth/authorizer-init.ts";
import { checkHttpSpec } from "./exchange/check-http-spec.ts";
import { loadOAuth } from "./auth/load-oauth.ts";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import { createFetchExchange } from "./exchange/fetch-exchange.ts";
import { createHttpEndpoint, type HttpEndpoint } from "./exchange/http-endpoint.ts";
import type { HttpExchange } from "./exchange/http-exchange.ts";
import { createHttpGuard } from "./exchange/http-guard.ts";
import { forgetAuthorization } from "./auth/authorization-state.ts";
import { createHostHeaders } from "./exchange/host-headers.ts";
import type { AuthorizationRequest, HttpOptions } from "./http-options.ts";
import { redeemCallback } from "./auth/run-oauth.ts";
import { createSseTransport } from "./sse/sse-transport.ts";
import { createStreamableHttpTransport } from "./streamable/streamable-http-transport.ts";

/** What the openers for HTTP go by. */
export interface HttpContext extends TransportContext {
  readonly options: Pick<HttpOptions, "authProvider" | "fetch" | "guard" | "headersFor">;
}

/**
 * Makes a Streamable HTTP transport. Nothing is sent before its first `send()`. Throws `invalid_spec` as {@linkcode checkHttpSpec}
 * does, and for `auth: "oauth"` without a provider.
 */
export async function openStreamableHttp(spec: ServerSpec, context: HttpContext): Promise<Transport> {
  return createStreamableHttpTransport({ context, endpoint: openEndpoint(spec, context) });
}

/** Makes a transport of the old HTTP+SSE kind; its `start()` opens the stream. Throws as {@linkcode openStreamableHttp}. */
export async function openSse(spec: ServerSpec, context: HttpContext): Promise<Transport> {
  return createSseTransport({ context, endpoint: openEndpoint(spec, context) });
}

/**
 * Completes an OAuth authorization that an `auth_required` asked for; connect again afterwards. `callback` is the whole query of the
 * redirect, because the issuer in it has to be checked (RFC 9207); comparing its `state` is the provider's part. The code goes to the
 * authorization server that the user was sent to and to no other; in another process than the one that sent them, only a provider with
 * `discoveryState` knows which that was. Settles within two minutes. Throws `auth_required` when the user declined, the code was
 * refused or the server names another authorization server by now, and `invalid_spec` when the server does not use OAuth.
 */
export async function finishHttpAuthorization(
  spec: ServerSpec,
  callback: URLSearchParams,
  options: HttpOptions & { readonly principal?: string | undefined },
): Promise<void> {
  const http = assertHttp(spec);
  if (http.transport.auth !== "oauth") throw specError(spec.id, "transport.auth", 'must be "oauth"');
  const { signal } = new AbortController();
  // What a transport would report is nobody's here.
  const context = {
    ...createTransportContext(http, {
      signal,
      onDiagnostic: ignore,
      onLog: ignore,
      clock: options.clock,
      principal: options.principal,
    }),
    options,
  };
  const exchange = openExchange(http, context);
  try {
    const init = authorizerInit(http, context, exchange);
    if (!isOAuthProvider(init.provider)) throw new TypeError("finishAuthorization() needs an OAuthProvider");
    await redeemCallback(init.provider, callback, init);
  } finally {
    exchange.close();
  }
}

type HttpServerSpec = ServerSpec & { readonly transport: HttpTransportSpec };

function openEndpoint(spec: ServerSpec, context: HttpContext): HttpEndpoint {
  const http = assertHttp(spec);
  const exchange = openExchange(http, context);
  const { headersFor } = context.options;
  const needsAuthorizer = http.transport.auth === "oauth";
  return createHttpEndpoint({
    spec: http,
    exchange,
    authorizer: needsAuthorizer ? createAuthorizer(authorizerInit(http, context, exchange)) : undefined,
    hostHeaders: headersFor && createHostHeaders({ spec: http, headersFor, context }),
    context,
  });
}

function assertHttp(spec: ServerSpec): HttpServerSpec {
  const { transport } = spec;
  if (transport.kind !== "http") throw new TypeError(`a server of kind ${transport.kind} is not reached by HTTP`);
  checkHttpSpec(spec);
  return { ...spec, transport };
}

function openExchange({ transport }: HttpServerSpec, context: HttpContext): HttpExchange {
  const { serverId, settings, redact, clock, principal, options } = context;
  const { maxMessageBytes } = settings.limits;
  const guard =
    options.guard &&
    createHttpGuard({ guard: options.guard, server: { serverId, principal }, serverUrl: transport.url });
  return options.fetch === undefined
    ? createDefaultExchange({ serverId, redact, clock, maxMessageBytes, guard })
    : createFetchExchange(options.fetch, { serverId, redact, guard });
}

function authorizerInit(spec: HttpServerSpec, context: HttpContext, exchange: HttpExchange): AuthorizerInit {
  const provider = context.options.authProvider?.(spec, authorizationRequest(context));
  if (provider === undefined) throw specError(spec.id, "transport.auth", "needs a connector with an authProvider");
  return {
    context,
    provider,
    serverUrl: new URL(spec.transport.url),
    fetchFn: createExchangeFetch({ exchange, context }),
    loadOAuth,
  };
}

function authorizationRequest({
  principal,
  isInteractive,
}: Pick<HttpContext, "principal" | "isInteractive">): AuthorizationRequest {
  return { ...(principal !== undefined && { principal }), interactive: isInteractive() };
}

/**
 * Forgets what a connector and its authorization provider hold to be let in by this server, for this principal: the provider's
 * `invalidateCredentials("all")`, where it has one, and what an authorization left half done.
 */
export async function clearHttpCredentials(
  spec: ServerSpec,
  { authProvider }: Pick<HttpOptions, "authProvider">,
  principal: string | undefined,
): Promise<void> {
  if (spec.transport.kind !== "http" || spec.transport.auth !== "oauth") return;
  const provider = authProvider?.(spec, authorizationRequest({ principal, isInteractive: () => false }));
  if (provider === undefined) return;
  forgetAuthorization(provider);
  if ("invalidateCredentials" in provider && typeof provider.invalidateCredentials === "function")
    await provider.invalidateCredentials("all");
}

function ignore(): void {
  // Nothing is connected.
}
