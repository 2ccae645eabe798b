import type { HttpEntry, ServerSpec } from "@hostside/core";
import { createDefaultExchange } from "#http-exchange";
import type { TransportContext } from "../context/transport-context.ts";
import { createFetchExchange } from "./exchange/fetch-exchange.ts";
import type { HttpClient } from "./exchange/http-exchange.ts";
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
export function openExchange({ url }: HttpServerSpec, context: ExchangeContext): HttpClient {
  const { serverId, settings, redact, clock, principal, options } = context;
  const { maxMessageBytes } = settings.limits;
  const { proxy, ca } = options;
  const guard =
    options.guard && createHttpGuard({ guard: options.guard, server: { serverId, principal }, serverUrl: url });
  const about = { serverId, redact, guard };
  return options.fetch === undefined
    ? createDefaultExchange({ ...about, clock, maxMessageBytes, proxy, ca: ca === undefined ? [] : [ca].flat() })
    : createFetchExchange(options.fetch, about);
}
