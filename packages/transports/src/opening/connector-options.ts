import type { ConnectionHooks, Fields } from "@toolport/core/implement";
import type { EraCache } from "../handshake/era-cache.ts";
import type { HttpOptions } from "../http/http-options.ts";

/** How a connector works; the same for all its connections. */
export interface ConnectorOptions extends HttpOptions {
  /** What servers are told of the host. Default: Toolport and its version. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Remembers which era a server speaks. Default: in memory, for the life of the connector. */
  readonly eraCache?: EraCache | undefined;
  /** Answers elicitations when the hooks of a connection do not. Default: elicitation is not advertised. */
  readonly onElicit?: NonNullable<ConnectionHooks["onElicit"]> | undefined;
  /**
   * How many processes may start at once; the others wait for their turn, in order, and their `timeouts.connectMs` runs from then on. A turn
   * ends when the server writes its first byte to stdout, after 5 s at the latest. Default: two for each processor, at least 4.
   */
  readonly maxConcurrentStarts?: number | undefined;
}

/** What a connector can be told. */
export const connectorFields: Fields<ConnectorOptions> = {
  clientInfo: true,
  eraCache: true,
  onElicit: true,
  maxConcurrentStarts: true,
  fetch: true,
  authProvider: true,
  clock: true,
  random: true,
};
