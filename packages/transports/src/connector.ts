import type { Connector, ServerSpec, ConnectionGuard, Connection } from "@hostside/core";
import {
  specError,
  assertKnownOptions,
  assertSignal,
  kindOf,
  type ConnectionHooks,
  type Fields,
  type Given,
} from "@hostside/core/implement";
import {
  type ConnectorOptions,
  assertConnectorOptions,
  checkSpec,
  connectorFields,
} from "./opening/connector-options.ts";
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
        ? createHttpGuard(guard, server, spec.url).refuseUrl(new URL(spec.url))
        : undefined;
  if (refusal !== undefined) throw refusal;
}

/** Options of {@linkcode connect}. */
export interface ConnectOptions
  extends ConnectorOptions, Given<Omit<ConnectionHooks, "known" | "onFailed" | "onQueued" | "onStart">> {
  /** Aborts the attempt; nothing of it is left then. */
  readonly signal?: AbortSignal | undefined;
}

const hooks = {
  onToolsChanged: true,
  onResourcesChanged: true,
  onPromptsChanged: true,
  onResourceUpdated: true,
  onNotification: true,
  onDown: true,
  onDiagnostic: true,
  onElicit: true,
  onLog: true,
  isInteractive: true,
  requestMeta: true,
} as const;
const optionFields: Fields<ConnectOptions> = { ...connectorFields, ...hooks, signal: true, principal: true };

/**
 * Connects to one server, for those who want to speak MCP themselves: list, call, send any request.
 * No reconnect, no catalogue. To connect like this counts as a user's act: with `auth: "oauth"` an
 * authorization page may be shown, unless `isInteractive` says that nobody waits. Rejects with a
 * `TypeError` for an option that is unknown or of a wrong type, else as
 * {@linkcode createConnector}'s `connect`.
 *
 * @example
 * const connection = await connect({ id: "files", command: "npx", args: ["-y", "some-server"] });
 * const { tools } = await connection.listTools();
 * await connection.close();
 */
export async function connect(spec: ServerSpec, options: ConnectOptions = {}): Promise<Connection> {
  assertKnownOptions("connect()", options, optionFields);
  assertPrincipal("connect()", options.principal);
  if (options.signal !== undefined) assertSignal(options.signal);
  for (const name of Object.keys(hooks) as (keyof typeof hooks)[]) {
    if (options[name] === undefined || typeof options[name] === "function") continue;
    throw new TypeError(`connect(): ${name} must be a function, not ${kindOf(options[name])}`);
  }
  const { signal = new AbortController().signal, principal } = options;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const pick = (fields: object): object => Object.fromEntries(given.filter(([name]) => name in fields));
  return createConnector(pick(connectorFields)).connect(
    spec,
    {
      onToolsChanged: ignore,
      onDown: ignore,
      isInteractive: () => true,
      ...pick(hooks),
      ...(principal !== undefined && { principal }),
    },
    signal,
  );
}

function ignore(): void {
  // The caller did not want to know.
}

/**
 * Refuses a principal that is no text, and an empty one, because everybody would be the same.
 * Throws a `TypeError`.
 */
function assertPrincipal(caller: string, principal: unknown): void {
  if (principal === undefined || (typeof principal === "string" && principal !== "")) return;
  throw new TypeError(`${caller}: principal must be a text that is not empty`);
}
