import { createDefaultExchange } from "#http-exchange";
import {
  HostsideError,
  type AuthorizationFetch,
  type AuthorizationRequest,
  type HttpEntry,
  type ServerCredentials,
  type ServerSpec,
} from "@hostside/core";
import { checkHttpSpec, createSecretMemory, kindOf, serverTypeOf, specError } from "@hostside/core/implement";
import { createTransportContext, type ServerContext, type TransportContext } from "../context/server-context.ts";
import type { Transport } from "../message/transport.ts";
import type { AuthorizationFetchOptions, HttpOptions } from "./http-options.ts";
import { Authorizer, forgetAuthorization } from "./exchange/authorized-call.ts";
import { createExchangeFetch } from "./exchange/exchange-fetch.ts";
import { createFetchExchange } from "./exchange/fetch-exchange.ts";
import { createHttpEndpoint, type HttpEndpoint } from "./exchange/http-endpoint.ts";
import { toTrust, type HttpClient } from "./exchange/http-exchange.ts";
import { createHttpGuard } from "./exchange/http-guard.ts";
import { createHostHeaders } from "./exchange/request-headers.ts";
import { SseTransport } from "./sse/sse-transport.ts";
import { StreamableHttpTransport } from "./streamable/streamable-http-transport.ts";

/** The input of the openers for HTTP. */
export interface HttpContext extends TransportContext {
  readonly options: HttpOptions;
}

/** A spec whose server is reached by HTTP. */
type HttpServerSpec = HttpEntry & Pick<ServerSpec, "id">;

/**
 * Makes a Streamable HTTP transport. Nothing is sent before its first `send()`. Throws
 * `invalid_spec` as {@linkcode checkHttpSpec} does, and for `auth` without a provider.
 */
export async function openStreamableHttp(spec: ServerSpec, context: HttpContext): Promise<Transport> {
  return new StreamableHttpTransport(context.lasting, openEndpoint(spec, context));
}

/**
 * Makes a transport of the old HTTP+SSE kind; its `start()` opens the stream. Throws as
 * {@linkcode openStreamableHttp}.
 */
export async function openSse(spec: ServerSpec, context: HttpContext): Promise<Transport> {
  return new SseTransport(context, openEndpoint(spec, context));
}

function openEndpoint(spec: ServerSpec, { lasting, options }: HttpContext): HttpEndpoint {
  if (spec.url === undefined) throw new TypeError(`a server of type ${serverTypeOf(spec)} is not reached by HTTP`);
  checkHttpSpec(spec);
  const exchange = openExchange(spec, lasting, options);
  const { headersFor } = options;
  const provider = spec.auth === undefined ? undefined : askAuthorization(spec, lasting, options);
  if (spec.auth !== undefined && provider === undefined)
    throw specError(spec.id, "auth", "needs a connector with an authProvider");
  return createHttpEndpoint({
    spec,
    exchange,
    authorizer: provider && new Authorizer(lasting, provider),
    hostHeaders: headersFor && createHostHeaders(spec, headersFor, lasting),
    context: lasting,
  });
}

type ExchangeContext = Pick<ServerContext, "principal" | "redact" | "secrets" | "serverId" | "settings">;

/** The HTTP of a connector for one server, past its guard. */
function openExchange({ url, tls }: HttpServerSpec, context: ExchangeContext, options: HttpOptions): HttpClient {
  const { serverId, settings, redact, principal } = context;
  const { maxMessageBytes } = settings.limits;
  const { proxy } = options;
  const guard = options.guard && createHttpGuard(options.guard, { serverId, principal }, url);
  const about = { serverId, redact, guard };
  if (options.fetch === undefined) {
    const trust = toTrust(options.ca, tls, new URL(url).origin);
    return createDefaultExchange({ ...about, maxMessageBytes, proxy, trust });
  }
  if (tls !== undefined) throw specError(serverId, "tls", "cannot be used by a connector with a fetch of its own");
  return createFetchExchange(options.fetch, about);
}

/**
 * Asks the host whose credentials a server gets, if any. Throws `internal_error` for an answer that
 * gives none.
 */
function askAuthorization(
  spec: HttpServerSpec,
  context: ServerContext,
  options: HttpOptions,
): ServerCredentials | undefined {
  const { principal, isInteractive, redact, secrets, serverId, settings } = context;
  // Neither `context` nor `options`: whoever has credentials may keep this for good.
  const kept = { principal, redact, secrets, serverId, settings };
  const { fetch, guard, proxy, ca, authProvider } = options;
  const request: AuthorizationRequest = {
    ...(principal !== undefined && { principal }),
    interactive: isInteractive(),
    fetch: createAuthorizationFetch(spec, kept, { fetch, guard, proxy, ca }),
  };
  const given: unknown = authProvider?.(spec, request) ?? undefined;
  if (given === undefined || isServerCredentials(given)) return given;
  throw new HostsideError(
    `authProvider() answered ${kindOf(given)} for server ${JSON.stringify(spec.id)}, which gives no credentials; nothing was sent`,
    { code: "internal_error", serverId: spec.id, outcome: "not-sent" },
  );
}

// As far as can be seen; a promise of some is none.
function isServerCredentials(value: unknown): value is ServerCredentials {
  return typeof value === "object" && value !== null && "headersFor" in value && "onRefused" in value;
}

/**
 * A `fetch` that needs no connection to the server: each request has an exchange of its own, which
 * ends with its answer.
 */
function createAuthorizationFetch(
  spec: HttpServerSpec,
  context: ExchangeContext,
  options: HttpOptions,
): AuthorizationFetch {
  return async (url, init) => {
    const exchange = openExchange(spec, context, options);
    try {
      return await createExchangeFetch(exchange, context)(url, init);
    } finally {
      exchange.close();
    }
  };
}

/**
 * Makes the `fetch` of `createAuthorizationFetch`. Its connections keep no process alive, and end
 * by themselves.
 */
export function openAuthorizationFetch({ proxy, ca, server }: AuthorizationFetchOptions): AuthorizationFetch {
  const serverId = server?.id ?? "authorization";
  const trust = server?.url === undefined ? toTrust(ca) : toTrust(ca, server.tls, new URL(server.url).origin);
  const exchange = createDefaultExchange({ serverId, proxy, trust });
  return createExchangeFetch(exchange, { serverId, secrets: createSecretMemory(server) });
}

/**
 * Forgets what a connector and its authorization provider hold for this server and principal: calls
 * the `clear` of its credentials, and drops what an authorization left half done.
 */
export async function clearHttpCredentials(
  spec: ServerSpec,
  options: HttpOptions,
  principal: string | undefined,
): Promise<void> {
  if (spec.url === undefined || spec.auth === undefined) return;
  const { signal } = new AbortController();
  // Nothing is connected that would report anything.
  const ignore = (): void => undefined;
  const init = { signal, onDiagnostic: ignore, onLog: ignore, principal };
  const provider = askAuthorization(spec, createTransportContext(spec, init).lasting, options);
  if (provider === undefined) return;
  forgetAuthorization(provider);
  await provider.clear?.();
}
