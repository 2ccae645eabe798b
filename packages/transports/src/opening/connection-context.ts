import { isHostsideError, HostsideError, type ServerSpec } from "@hostside/core";
import { createDeadline, formatMs, onAbort, type ConnectionHooks, type KnownServer } from "@hostside/core/implement";
import { SafeHooks } from "../context/safe-hooks.ts";
import { createTransportContext, resolveSettings, type TransportContext } from "../context/server-context.ts";
import { assumable, type HandshakeContext } from "../handshake/attempts.ts";
import type { EraCache } from "../handshake/next-attempt.ts";
import { createElicitor } from "../wire/elicitor.ts";
import type { ConnectorEffects, ConnectorOptions } from "./connector-options.ts";

/**
 * The context of one connection while it is opened. Its `signal` is that of the deadline.
 */
export interface ConnectionContext extends TransportContext, HandshakeContext {
  readonly options: ConnectorOptions;
  /** The host's way to start processes for it, where that is not the runtime. */
  readonly effects: ConnectorEffects | undefined;
  /** The known facts of the server, if that is enough to speak with it. */
  readonly known: KnownServer | undefined;
  /** Ends the deadline, and lets go of the caller's signal. */
  readonly dispose: () => void;
}

/** The parts of {@linkcode ConnectionContext}. */
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
  const { clientInfo = { name: "hostside", version } } = options;
  const { onElicit, isInteractive, principal, requestMeta } = hooks;
  const effects = askForEffects(spec, options);
  const guarded = new SafeHooks(hooks);
  const { onDiagnostic, onLog } = guarded;
  const timeoutMs = resolveSettings(spec).timeouts.connectMs;
  // The reason of its signal is always a HostsideError.
  const caller = new AbortController();
  const onAborted = (): void => caller.abort(abortedConnect(spec.id, signal));
  if (signal.aborted) onAborted();
  const ignoreAbort = onAbort(signal, onAborted);
  const onTimeout = (): HostsideError => timedOut(spec.id, timeoutMs);
  const deadline = createDeadline({ timeoutMs, signal: caller.signal, onTimeout });
  const init = { signal: deadline.signal, onDiagnostic, onLog, onStarted, isInteractive, principal };
  const context = createTransportContext(spec, init);
  return {
    ...context,
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
    elicitor: onElicit && createElicitor(context.lasting, onElicit),
    dispose() {
      ignoreAbort();
      deadline.dispose();
    },
  };
}

/** The error of an attempt that the caller gave up. */
export function abortedConnect(serverId: string, { reason }: AbortSignal): HostsideError {
  return new HostsideError(`connecting to server ${JSON.stringify(serverId)} was aborted`, {
    code: "aborted",
    serverId,
    outcome: "not-sent",
    cause: reason,
  });
}

function timedOut(serverId: string, timeoutMs: number): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} was not ready within ${formatMs(timeoutMs)}`, {
    code: "connect_timeout",
    serverId,
    details: { timeoutMs },
  });
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
