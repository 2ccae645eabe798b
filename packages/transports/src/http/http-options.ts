import type { Clock, Random, ServerSpec } from "@toolport/core";
import type { AuthorizationProvider } from "./auth/authorization-provider.ts";
import type { Fetch } from "./exchange/fetch-exchange.ts";

/** How HTTP is done; the same for all servers of a connector. */
export interface HttpOptions {
  /**
   * Does the requests instead of the runtime's own HTTP, for proxies and tests. Default: `node:http` on Node, elsewhere the global
   * `fetch`. With a `fetch`, connecting has no deadline of its own, and the limits that the `fetch` has of its own apply.
   */
  readonly fetch?: Fetch | undefined;
  /** Whose credentials a server with `auth: "oauth"` gets. The same object each time for the same server. */
  readonly authProvider?: ((spec: ServerSpec) => AuthorizationProvider | undefined) | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
  /** Spreads reconnections. Default: `Math.random`. */
  readonly random?: Random | undefined;
}
