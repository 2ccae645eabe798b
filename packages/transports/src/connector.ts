import {
  assertServerSpec,
  createDeadline,
  createRedactor,
  systemClock,
  ToolportError,
  type Clock,
  type Connection,
  type ConnectionHooks,
  type Connector,
  type ServerSpec,
} from "@toolport/core";
import type { ClientIdentity } from "./client-identity.ts";
import { createConnection } from "./connection/connection.ts";
import { createElicitor, type Elicitor } from "./connection/elicitor.ts";
import { readServerInfo } from "./connection/read-server-info.ts";
import { createEraCache, type EraCache } from "./negotiation/era-cache.ts";
import { negotiate } from "./negotiation/negotiate.ts";
import { openTransport } from "./open-transport.ts";
import { resolveSettings } from "./resolve-settings.ts";
import type { Wire } from "./wire/wire.ts";

/** How a connector works; the same for all its connections. */
export interface ConnectorOptions {
  /** What servers are told of the host. Default: Toolport and its version. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Default: the real time. */
  readonly clock?: Clock;
  /** Remembers which era a server speaks. Default: in memory, for the life of the connector. */
  readonly eraCache?: EraCache;
  /** Answers elicitations when the hooks of a connection do not. Default: elicitation is not advertised. */
  readonly onElicit?: NonNullable<ConnectionHooks["onElicit"]>;
}

/** Makes connections of every kind that this runtime can open. Nothing is started, loaded or read before the first one. */
export function createConnector(options: ConnectorOptions = {}): Connector {
  const cache = options.eraCache ?? createEraCache();
  return {
    check: (spec) => assertServerSpec(spec),
    connect: (spec, hooks, signal) => connectTo(spec, { hooks, signal, options, cache }),
  };
}

interface ConnectContext {
  readonly hooks: ConnectionHooks;
  readonly signal: AbortSignal;
  readonly options: ConnectorOptions;
  readonly cache: EraCache;
}

async function connectTo(spec: ServerSpec, { hooks, signal, options, cache }: ConnectContext): Promise<Connection> {
  assertServerSpec(spec);
  const { id } = spec;
  const clock = options.clock ?? systemClock;
  const settings = resolveSettings(spec);
  const { timeouts, limits } = settings;
  const onElicit = hooks.onElicit ?? options.onElicit;
  const onDiagnostic = hooks.onDiagnostic ?? ignore;
  const onLog = hooks.onLog ?? ignore;
  const identity: ClientIdentity = {
    info: options.clientInfo ?? { name: "toolport", version: "0.0.0" },
    capabilities: onElicit === undefined ? {} : { elicitation: { form: {}, url: {} } },
  };
  const elicitorOn = (wire: Wire): Elicitor | undefined =>
    onElicit &&
    createElicitor({
      serverId: id,
      onElicit,
      onDiagnostic,
      timeoutMs: timeouts.elicitMs,
      clock,
      pause: () => wire.activeClock.pause(),
    });
  const deadline = createDeadline({
    timeoutMs: timeouts.connectMs,
    signal,
    clock,
    onTimeout: () =>
      new ToolportError(`${JSON.stringify(id)} was not ready within ${timeouts.connectMs} ms`, {
        code: "connect_timeout",
        serverId: id,
        details: { timeoutMs: timeouts.connectMs },
      }),
  });
  try {
    const { wire, client } = await negotiate({
      spec,
      cache,
      fingerprint: undefined,
      now: Date.now,
      identity,
      context: { serverId: id, clock, redact: createRedactor(spec), onDiagnostic },
      events: { onToolsChanged: hooks.onToolsChanged, onLog, onDown: hooks.onDown },
      maxNotificationsPerSecond: limits.maxNotificationsPerSecond,
      probeMs: timeouts.probeMs,
      deadline,
      open: (attempt) => openTransport(spec, attempt, { signal: deadline.signal, onDiagnostic, onLog, clock }),
      elicitOn:
        onElicit &&
        ((wire) => (params, abort) => elicitorOn(wire)?.ask(params, abort) ?? Promise.resolve({ action: "cancel" })),
    });
    const server = readServerInfo(
      {
        era: client.getProtocolEra() ?? "legacy",
        protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
        implementation: client.getServerVersion(),
        instructions: client.getInstructions(),
        capabilities: client.getServerCapabilities(),
      },
      limits,
    );
    return createConnection({ serverId: id, server, settings, wire, elicitor: elicitorOn(wire) });
  } finally {
    deadline.dispose();
  }
}

function ignore(): void {
  // No hook was given for it.
}
