import type { Diagnostic, Random, ServerSpec } from "@toolport/core";
import {
  createSecretMemory,
  systemClock,
  type ConnectionHooks,
  type Deadline,
  type SecretMemory,
} from "@toolport/core/implement";
import type { ClientIdentity } from "../message/client-identity.ts";
import { createElicitor, type Elicitor } from "../wire/elicitor.ts";
import { guardHooks, type GuardedHooks } from "../context/guard-hooks.ts";
import type { ActiveClock } from "../time/active-clock.ts";
import type { ConnectorOptions } from "./connector-options.ts";
import { createConnectDeadline } from "./connect-deadline.ts";
import type { EraCache } from "../handshake/era-cache.ts";
import { resolveSettings, type ServerSettings } from "../context/resolve-settings.ts";
import { version } from "./version.ts";
import type { ServerContext } from "../context/server-context.ts";

/** What all parts of one connection share, from the first attempt to its end. */
export interface ConnectionContext extends ServerContext {
  readonly spec: ServerSpec;
  readonly settings: ServerSettings;
  readonly options: ConnectorOptions;
  readonly eraCache: EraCache;
  readonly random: Random;
  readonly hooks: GuardedHooks;
  readonly identity: ClientIdentity;
  /** For all attempts together. Whoever made the context disposes of it. */
  readonly deadline: Deadline;
  /** Behind `redact`: learns what the spec does not name. */
  readonly secrets: SecretMemory;
  /** Called once the server's program has started, if it has one. */
  readonly onStarted: () => void;
  /** Whether a user waits who may be shown an authorization page right now. */
  readonly isInteractive: () => boolean;
  /** Absent when nobody answers elicitations; then they are not advertised. */
  readonly createElicitor: ((activeClock: ActiveClock) => Elicitor) | undefined;
}

/** What a {@linkcode ConnectionContext} is made from. */
export interface ConnectionContextInit {
  readonly options: ConnectorOptions;
  readonly eraCache: EraCache;
  readonly hooks: ConnectionHooks;
  readonly signal: AbortSignal;
  readonly onStarted: () => void;
}

/** Puts a connection's context together, with a deadline that runs from now on. */
export function createConnectionContext(
  spec: ServerSpec,
  { options, eraCache, hooks, signal, onStarted }: ConnectionContextInit,
): ConnectionContext {
  const { clock = systemClock, random = Math.random, clientInfo = { name: "toolport", version } } = options;
  const settings = resolveSettings(spec);
  const { connectMs, elicitMs } = settings.timeouts;
  const serverId = spec.id;
  const onElicit = hooks.onElicit ?? options.onElicit;
  const guarded = guardHooks(hooks);
  const secrets = createSecretMemory(spec);
  const onDiagnostic = (diagnostic: Diagnostic): void => guarded.onDiagnostic(diagnostic);
  return {
    spec,
    serverId,
    settings,
    options,
    eraCache,
    clock,
    random,
    hooks: guarded,
    redact: secrets.redact,
    secrets,
    isInteractive: hooks.isInteractive ?? (() => false),
    onDiagnostic,
    onStarted,
    identity: {
      info: clientInfo,
      capabilities: onElicit === undefined ? {} : { elicitation: { form: {}, url: {} } },
    },
    deadline: createConnectDeadline({ serverId, timeoutMs: connectMs, signal, clock }),
    createElicitor:
      onElicit &&
      ((activeClock) =>
        createElicitor({
          serverId,
          onElicit,
          onDiagnostic,
          timeoutMs: elicitMs,
          limits: settings.limits,
          clock,
          pause: () => activeClock.pause(),
        })),
  };
}
