import type { Connector, ServerSpec, ConnectionGuard } from "@hostside/core";
import { specError } from "@hostside/core/implement";
import { type ConnectorOptions, assertConnectorOptions, checkSpec } from "./opening/connector-options.ts";
import { EraCache } from "./handshake/next-attempt.ts";
import { loadHttp, preload } from "./opening/open-transport.ts";
import { openConnection } from "./opening/open-connection.ts";
import { StartLimiter } from "./opening/start-limiter.ts";
import { askForCommand } from "./context/ask-guard.ts";
import { createHttpGuard } from "./http/exchange/http-guard.ts";

/**
 * Makes connections of every kind that this JavaScript runtime can open. Nothing is started or read
 * before the first one; the code that a server's transport needs begins to load when its spec is
 * checked.
 *
 * Throws a `TypeError` that names the option that is unknown or of a wrong type.
 *
 * @example
 * const connector = createConnector({ proxy: "environment" });
 * const provider = createProvider({ connector, servers });
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  assertConnectorOptions(options);
  const { guard, maxConcurrentStarts } = options;
  const eraCache = new EraCache();
  const starts = new StartLimiter(maxConcurrentStarts);
  return {
    check(spec: ServerSpec) {
      checkSpec(spec);
      if (spec.url !== undefined && spec.auth !== undefined && options.authProvider === undefined)
        throw specError(spec.id, "auth", "needs a connector with an authProvider");
      if (guard !== undefined) checkGuard(spec, guard);
      preload(spec);
    },
    perCaller: (spec) => spec.url !== undefined && options.headersFor !== undefined,
    async clearCredentials(spec, { principal } = {}) {
      if (spec.url === undefined || spec.auth === undefined) return;
      const { clearHttpCredentials } = await loadHttp(spec.id);
      await clearHttpCredentials(spec, options, principal);
    },
    connect: (spec, hooks, signal) => openConnection(spec, { options, eraCache, starts, hooks, signal }),
  };
}

/**
 * Asks a guard about a spec before anything starts: it is asked again when something does. Throws
 * `not_allowed`, and `internal_error` for a guard that fails. Expects a spec that passed
 * `checkSpec`.
 */
function checkGuard(spec: ServerSpec, guard: ConnectionGuard): void {
  const server = { serverId: spec.id };
  const refusal =
    spec.command !== undefined
      ? askForCommand(guard, spec, server)
      : spec.url !== undefined
        ? createHttpGuard({ guard, server, serverUrl: spec.url }).refuseUrl(new URL(spec.url))
        : undefined;
  if (refusal !== undefined) throw refusal;
}
