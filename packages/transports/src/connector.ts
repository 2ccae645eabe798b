import type { Connector, ServerSpec } from "@toolport/core";
import { assertKnownOptions, specError } from "@toolport/core/implement";
import { checkGuard } from "./opening/check-guard.ts";
import { checkSpec } from "./opening/check-spec.ts";
import { connectorFields, type ConnectorOptions } from "./opening/connector-options.ts";
import { assertGuard } from "./context/assert-guard.ts";
import { createEraCache } from "./handshake/era-cache.ts";
import { loadHttp, preload } from "./opening/load-transport.ts";
import { openConnection } from "./opening/open-connection.ts";
import { createStarts } from "./opening/take-turn.ts";

/**
 * Makes connections of every kind that this JavaScript runtime can open. Nothing is started or read before the first one; the code that a
 * server's transport needs begins to load when its spec is checked.
 *
 * Throws a `TypeError` for an unknown option, for a `maxConcurrentStarts` that is no positive integer, for `tasks` that are neither of
 * the two, for a `guard` that is none, and for what should be a function and is none.
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  assertKnownOptions("createConnector()", options, connectorFields);
  const { eraCache = createEraCache(), guard, maxConcurrentStarts, tasks } = options;
  if (maxConcurrentStarts !== undefined && !(Number.isInteger(maxConcurrentStarts) && maxConcurrentStarts > 0))
    throw new TypeError("createConnector(): maxConcurrentStarts must be a positive integer");
  if (tasks !== undefined && tasks !== "await" && tasks !== "hand-back")
    throw new TypeError('createConnector(): tasks must be "await" or "hand-back"');
  for (const name of ["authProvider", "fetch", "headersFor", "onElicit"] as const)
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`createConnector(): ${name} must be a function`);
  assertGuard("createConnector()", guard);
  const starts = createStarts(maxConcurrentStarts);
  return {
    check(spec: ServerSpec) {
      checkSpec(spec);
      const { transport } = spec;
      if (transport.kind === "http" && transport.auth === "oauth" && options.authProvider === undefined)
        throw specError(spec.id, "transport.auth", "needs a connector with an authProvider");
      if (guard !== undefined) checkGuard(spec, guard);
      preload(transport);
    },
    async clearCredentials(spec, { principal } = {}) {
      if (spec.transport.kind !== "http" || spec.transport.auth !== "oauth") return;
      const { clearHttpCredentials } = await loadHttp(spec.id);
      await clearHttpCredentials(spec, options, principal);
    },
    connect: (spec, hooks, signal) => openConnection(spec, { options, eraCache, starts, hooks, signal }),
  };
}
