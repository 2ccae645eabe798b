import type { HttpTransportSpec, ServerSpec } from "@toolport/core";
import { createSecretMemory, specError, systemClock, type SecretMemory } from "@toolport/core/implement";
import { createDefaultExchange } from "#http-exchange";
import type { TransportContext } from "../context/transport-context.ts";
import type { Transport } from "../message/transport.ts";
import { resolveSettings } from "../context/resolve-settings.ts";
import { isOAuthProvider } from "./auth/authorization-provider.ts";
import { createAuthorizer } from "./auth/create-authorizer.ts";
import type { AuthorizerInit } from "./auth/authorizer-init.ts";
import { checkHttpSpec } from "./exchange/check-http-spec.ts";
import { loadOAuth } from "./auth/load-oauth.ts";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import { createFetchExchange } from "./exchange/fetch-exchange.ts";
import { createHttpEndpoint, type HttpEndpoint } from "./exchange/http-endpoint.ts";
import type { HttpExchange } from "./exchange/http-exchange.ts";
import type { HttpOptions } from "./http-options.ts";
import { createNoiseReport } from "./events/report-anomalies.ts";
import { redeemCallback } from "./auth/run-oauth.ts";
import { createSseTransport } from "./sse/sse-transport.ts";
import { createStreamableHttpTransport } from "./streamable/streamable-http-transport.ts";

/**
 * Makes a Streamable HTTP transport. Nothing is sent before its first `send()`. Throws `invalid_spec` as {@linkcode checkHttpSpec}
 * does, and for `auth: "oauth"` without a provider.
 */
export async function openStreamableHttp(
  spec: ServerSpec,
  context: TransportContext,
  options: HttpOptions = {},
): Promise<Transport> {
  const { id } = spec;
  const { timeouts, limits } = resolveSettings(spec);
  return createStreamableHttpTransport({
    endpoint: openEndpoint(spec, context, options),
    maxMessageBytes: limits.maxMessageBytes,
    requestMs: timeouts.requestMs,
    closeMs: timeouts.closeMs,
    random: options.random ?? Math.random,
    onNoise: createNoiseReport(spec.id, context.onDiagnostic),
    onStreamLost(how) {
      const message = `the notification stream of server ${JSON.stringify(id)} is not open: ${how}`;
      context.onDiagnostic({ kind: "stream-lost", serverId: id, message });
    },
  });
}

/** Makes a transport of the old HTTP+SSE kind; its `start()` opens the stream. Throws as {@linkcode openStreamableHttp}. */
export async function openSse(
  spec: ServerSpec,
  context: TransportContext,
  options: HttpOptions = {},
): Promise<Transport> {
  const { timeouts, limits } = resolveSettings(spec);
  return createSseTransport({
    endpoint: openEndpoint(spec, context, options),
    maxMessageBytes: limits.maxMessageBytes,
    requestMs: timeouts.requestMs,
    callMs: timeouts.callMs,
    signal: context.signal,
    onNoise: createNoiseReport(spec.id, context.onDiagnostic),
  });
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
  options: HttpOptions,
): Promise<void> {
  const http = assertHttp(spec);
  if (http.transport.auth !== "oauth") throw specError(spec.id, "transport.auth", 'must be "oauth"');
  const secrets = createSecretMemory(http);
  const exchange = openExchange(http, secrets, options);
  try {
    const init = authorizerInit({ spec: http, exchange, secrets, isInteractive: () => false }, options);
    if (!isOAuthProvider(init.provider)) throw new TypeError("finishAuthorization() needs an OAuthProvider");
    await redeemCallback(init.provider, callback, init);
  } finally {
    exchange.close();
  }
}

type HttpServerSpec = ServerSpec & { readonly transport: HttpTransportSpec };

function openEndpoint(spec: ServerSpec, context: TransportContext, options: HttpOptions): HttpEndpoint {
  const http = assertHttp(spec);
  const { secrets = createSecretMemory(http), isInteractive = () => false } = context;
  const exchange = openExchange(http, secrets, options);
  const needsAuthorizer = http.transport.auth === "oauth";
  return createHttpEndpoint({
    spec: http,
    exchange,
    authorizer: needsAuthorizer
      ? createAuthorizer(authorizerInit({ spec: http, exchange, secrets, isInteractive }, options))
      : undefined,
    secrets,
    clock: options.clock,
  });
}

function assertHttp(spec: ServerSpec): HttpServerSpec {
  const { transport } = spec;
  if (transport.kind !== "http") throw new TypeError(`a server of kind ${transport.kind} is not reached by HTTP`);
  checkHttpSpec(spec);
  return { ...spec, transport };
}

function openExchange(
  spec: HttpServerSpec,
  { redact }: SecretMemory,
  { fetch, clock = systemClock }: HttpOptions,
): HttpExchange {
  const { id } = spec;
  const { maxMessageBytes } = resolveSettings(spec).limits;
  return fetch === undefined
    ? createDefaultExchange({ serverId: id, redact, clock, maxMessageBytes })
    : createFetchExchange(fetch, { serverId: id, redact });
}

interface Authorizing {
  readonly spec: HttpServerSpec;
  readonly exchange: HttpExchange;
  readonly secrets: SecretMemory;
  readonly isInteractive: () => boolean;
}

function authorizerInit({ spec, exchange, secrets, isInteractive }: Authorizing, options: HttpOptions): AuthorizerInit {
  const provider = options.authProvider?.(spec);
  if (provider === undefined) throw specError(spec.id, "transport.auth", "needs a connector with an authProvider");
  return {
    provider,
    serverId: spec.id,
    serverUrl: new URL(spec.transport.url),
    secrets,
    isInteractive,
    fetchFn: createExchangeFetch({ exchange, serverId: spec.id, secrets, clock: options.clock }),
    loadOAuth,
    clock: options.clock,
  };
}
