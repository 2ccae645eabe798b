import {
  assertKnownOptions,
  specError,
  type ConnectionHooks,
  type Connector,
  type Fields,
  type ServerSpec,
} from "@toolport/core";
import { checkSpec } from "./check-spec.ts";
import type { HttpOptions } from "./http/open-http.ts";
import { createEraCache, type EraCache } from "./negotiation/era-cache.ts";
import { openConnection } from "./open-connection.ts";

/** How a connector works; the same for all its connections. */
export interface ConnectorOptions extends HttpOptions {
  /** What servers are told of the host. Default: Toolport and its version. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Remembers which era a server speaks. Default: in memory, for the life of the connector. */
  readonly eraCache?: EraCache;
  /** Answers elicitations when the hooks of a connection do not. Default: elicitation is not advertised. */
  readonly onElicit?: NonNullable<ConnectionHooks["onElicit"]>;
}

/** What a connector can be told. */
export const connectorFields: Fields<ConnectorOptions> = {
  clientInfo: true,
  eraCache: true,
  onElicit: true,
  fetch: true,
  authProvider: true,
  clock: true,
  random: true,
};

/**
 * Makes connections of every kind that this JavaScript runtime can open. Nothing is started, loaded or read before the first one.
 *
 * Throws a `TypeError` for an unknown option.
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  assertKnownOptions("createConnector()", options, connectorFields);
  const eraCache = options.eraCache ?? createEraCache();
  return {
    check(spec: ServerSpec) {
      checkSpec(spec);
      const { transport } = spec;
      if (transport.kind === "http" && transport.auth === "oauth" && options.authProvider === undefined)
        throw specError(spec.id, "transport.auth", "needs a connector with an authProvider");
    },
    connect: (spec, hooks, signal) => openConnection(spec, { options, eraCache, hooks, signal }),
  };
}
