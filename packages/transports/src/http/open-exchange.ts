import type { HttpEntry, ServerSpec } from "@hostside/core";
import { specError } from "@hostside/core/implement";
import { createDefaultExchange } from "#http-exchange";
import type { TransportContext } from "../context/transport-context.ts";
import { createFetchExchange } from "./exchange/fetch-exchange.ts";
import { toTrust, type HttpClient } from "./exchange/http-exchange.ts";
import { createHttpGuard } from "./exchange/http-guard.ts";
import type { HttpOptions } from "./http-options.ts";

/** A spec whose server is reached by HTTP. */
export type HttpServerSpec = HttpEntry & Pick<ServerSpec, "id">;

/** What an exchange goes by. */
export interface ExchangeContext extends Pick<
  TransportContext,
  "clock" | "principal" | "redact" | "serverId" | "settings"
> {
  readonly options: Pick<HttpOptions, "ca" | "fetch" | "guard" | "proxy">;
}

/** The HTTP of a connector for one server, past its guard. */
export function openExchange({ url, tls }: HttpServerSpec, context: ExchangeContext): HttpClient {
  const { serverId, settings, redact, clock, principal, options } = context;
  const { maxMessageBytes } = settings.limits;
  const { proxy } = options;
  const guard =
    options.guard && createHttpGuard({ guard: options.guard, server: { serverId, principal }, serverUrl: url });
  const about = { serverId, redact, guard };
  if (options.fetch === undefined) {
    const trust = toTrust(options.ca, tls, new URL(url).origin);
    return createDefaultExchange({ ...about, clock, maxMessageBytes, proxy, trust });
  }
  if (tls !== undefined) throw specError(serverId, "tls", "cannot be used by a connector with a fetch of its own");
  return createFetchExchange(options.fetch, about);
}
