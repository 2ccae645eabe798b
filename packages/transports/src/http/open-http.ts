import type { ServerSpec } from "@hostside/core";
import { checkHttpSpec, serverTypeOf } from "@hostside/core/implement";
import type { Transport } from "../message/transport.ts";
import { createTransportContext, withoutOpening, type TransportContext } from "../context/transport-context.ts";
import { isServerCredentials } from "./auth/authorization-provider.ts";
import { createAuthorizer, forgetAuthorization } from "./auth/authorizer.ts";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import { createHttpEndpoint, type HttpEndpoint } from "./exchange/http-endpoint.ts";
import { createHostHeaders } from "./exchange/host-headers.ts";
import type { HttpOptions } from "./http-options.ts";
export { openAuthorizationFetch } from "./open-authorization-fetch.ts";
import { askAuthorization, openExchange, requestAuthorization, type HttpServerSpec } from "./open-exchange.ts";
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

function openEndpoint(spec: ServerSpec, context: HttpContext, lasting = withoutOpening(context)): HttpEndpoint {
  const http = assertHttp(spec);
  const exchange = openExchange(http, context);
  const { headersFor } = context.options;
  const authorizer =
    http.auth === undefined
      ? undefined
      : createAuthorizer({
          context,
          provider: requestAuthorization(http, context),
          serverUrl: new URL(http.url),
          fetchFn: createExchangeFetch({ exchange, context }),
        });
  return createHttpEndpoint({
    spec: http,
    exchange,
    authorizer,
    hostHeaders: headersFor && createHostHeaders({ spec: http, headersFor, context }),
    context: lasting,
  });
}

function assertHttp(spec: ServerSpec): HttpServerSpec {
  if (spec.url === undefined) throw new TypeError(`a server of type ${serverTypeOf(spec)} is not reached by HTTP`);
  checkHttpSpec(spec);
  return spec;
}

// What a transport would report is nobody's here.
function contextWithoutConnection(
  spec: HttpServerSpec,
  options: HttpOptions & { readonly principal?: string | undefined },
): HttpContext {
  const { principal } = options;
  const { signal } = new AbortController();
  const context = createTransportContext(spec, { signal, onDiagnostic: ignore, onLog: ignore, principal });
  return { ...context, options };
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
  if (spec.url === undefined || spec.auth === undefined || options.authProvider === undefined) return;
  const provider = askAuthorization(spec, contextWithoutConnection(spec, { ...options, principal }));
  if (provider === undefined) return;
  forgetAuthorization(provider);
  if (isServerCredentials(provider)) await provider.clear?.();
}

function ignore(): void {
  // Nothing is connected.
}
