import type { AuthorizationFetch, ServerSpec } from "@hostside/core";
import { createSecretMemory } from "@hostside/core/implement";
import { createDefaultExchange } from "#http-exchange";
import { createExchangeFetch } from "./auth/exchange-fetch.ts";
import { toTrust } from "./exchange/http-exchange.ts";
import type { HttpOptions } from "./http-options.ts";

/** How a `fetch` for authorization servers connects. */
export interface AuthorizationFetchOptions extends Pick<HttpOptions, "ca" | "proxy"> {
  /** Whom it is for: its `tls` counts, and its id is in errors. Default: no server. */
  readonly server?: ServerSpec | undefined;
}

/**
 * Makes the `fetch` of `createAuthorizationFetch`. Its connections keep no process alive, and end
 * by themselves.
 */
export function openAuthorizationFetch({ proxy, ca, server }: AuthorizationFetchOptions): AuthorizationFetch {
  const serverId = server?.id ?? "authorization";
  const trust = server?.url === undefined ? toTrust(ca) : toTrust(ca, server.tls, new URL(server.url).origin);
  const exchange = createDefaultExchange({ serverId, proxy, trust });
  const context = { serverId, secrets: createSecretMemory(server) };
  return createExchangeFetch({ exchange, context });
}
