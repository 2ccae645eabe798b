import type { Connector, ServerSpec } from "@toolport/core";
import { assertKnownOptions, specError, type ConnectionHooks, type Fields } from "@toolport/core/implement";
import { checkSpec } from "./opening/check-spec.ts";
import type { HttpOptions } from "./http/http-options.ts";
import { createEraCache, type EraCache } from "./handshake/era-cache.ts";
import { preload } from "./opening/load-transport.ts";
import { openConnection } from "./opening/open-connection.ts";
import { createStarts } from "./opening/take-turn.ts";

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

/**
 * Makes connections of every kind that this JavaScript runtime can open. Nothing is started or read before the first one; the code that a
 * server's transport needs begins to load when its spec is checked.
 *
 * Throws a `TypeError` for an unknown option, and for a `maxConcurrentStarts` that is no positive integer.
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  assertKnownOptions("createConnector()", options, connectorFields);
  const { eraCache = createEraCache(), maxConcurrentStarts } = options;
  if (maxConcurrentStarts !== undefined && !(Number.isInteger(maxConcurrentStarts) && maxConcurrentStarts > 0))
    throw new TypeError("createConnector(): maxConcurrentStarts must be a positive integer");
  const starts = createStarts(maxConcurrentStarts);
  return {
    check(spec: ServerSpec) {
      checkSpec(spec);
      const { transport } = spec;
      if (transport.kind === "http" && transport.auth === "oauth" && options.authProvider === undefined)
        throw specError(spec.id, "transport.auth", "needs a connector with an authProvider");
      preload(transport);
    },
    connect: (spec, hooks, signal) => openConnection(spec, { options, eraCache, starts, hooks, signal }),
  };
}
