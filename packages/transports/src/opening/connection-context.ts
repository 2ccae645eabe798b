import { isHostsideError, HostsideError, type ServerSpec } from "@hostside/core";
import { type ConnectionHooks, type KnownServer } from "@hostside/core/implement";
import { assumable } from "../handshake/assume-server.ts";
import type { HandshakeContext } from "../handshake/make-attempt.ts";
import { createElicitor } from "../wire/elicitor.ts";
import { GuardedHooks } from "../context/guard-hooks.ts";
import type { ConnectorEffects, ConnectorOptions } from "./connector-options.ts";
import { createConnectDeadline } from "./connect-deadline.ts";
import type { EraCache } from "../handshake/era-cache.ts";
import { resolveSettings } from "../context/server-context.ts";
import { createTransportContext, withoutOpening, type TransportContext } from "../context/transport-context.ts";

/**
 * What all parts of one connection share, from the first attempt to its end. Its `signal` is that
 * of the deadline.
 */
export interface ConnectionContext extends TransportContext, HandshakeContext {
  readonly options: ConnectorOptions;
  /** What starts processes for it, where that is not the runtime. */
  readonly effects: ConnectorEffects | undefined;
  readonly hooks: GuardedHooks;
  /** What is known of the server, if that is enough to speak with it. */
  readonly known: KnownServer | undefined;
}

/** What a {@linkcode ConnectionContext} is made from. */
export interface ConnectionContextInit {
  readonly options: ConnectorOptions;
  readonly eraCache: EraCache;
  readonly hooks: ConnectionHooks;
  readonly signal: AbortSignal;
  readonly onStarted: () => void;
}

/**
 * Puts a connection's context together, with a deadline that runs from now on. Throws
 * `internal_error` where the effects of the host fail; nothing runs then.
 */
export function createConnectionContext(
  spec: ServerSpec,
  { options, eraCache, hooks, signal, onStarted }: ConnectionContextInit,
): ConnectionContext {
  const { random, clientInfo = { name: "hostside", version } } = options;
  const { onElicit = options.onElicit, isInteractive, principal, requestMeta } = hooks;
  const effects = askForEffects(spec, options);
  const guarded = new GuardedHooks(hooks);
  const timeoutMs = resolveSettings(spec).timeouts.connectMs;
  const deadline = createConnectDeadline({ serverId: spec.id, timeoutMs, signal });
  const { onDiagnostic, onLog } = guarded;
  const context = createTransportContext(spec, {
    signal: deadline.signal,
    onDiagnostic,
    onLog,
    random,
    onStarted,
    isInteractive,
    principal,
  });
  const lasting = withoutOpening(context);
  return {
    ...context,
    lasting,
    spec,
    options: effects?.fetch === undefined ? options : { ...options, fetch: effects.fetch },
    effects,
    eraCache,
    opening: requestMeta && { meta: requestMeta },
    hooks: guarded,
    known: assumable(spec, hooks.known),
    identity: {
      info: clientInfo,
      capabilities: onElicit === undefined ? {} : { elicitation: { form: {}, url: {} } },
      ...(options.tasks === true && { extensions: { "io.modelcontextprotocol/tasks": {} } }),
    },
    deadline,
    createElicitor:
      onElicit &&
      ((activeClock) =>
        createElicitor({ context: lasting, onElicit, pause: (callContext) => activeClock.of(callContext).pause() })),
  };
}

function askForEffects(spec: ServerSpec, { effects }: ConnectorOptions): ConnectorEffects | undefined {
  const { id, command, url } = spec;
  if (command === undefined && url === undefined) return undefined;
  try {
    return effects?.(spec);
  } catch (cause) {
    if (isHostsideError(cause)) throw cause;
    throw new HostsideError(`effects() of server ${JSON.stringify(id)} failed; nothing was started`, {
      code: "internal_error",
      serverId: id,
      outcome: "not-sent",
      cause,
    });
  }
}

/**
 * The version of this package, as servers are told it. Written here because reading a file is no
 * business of a library; a test compares.
 */
export const version = "0.0.0";
