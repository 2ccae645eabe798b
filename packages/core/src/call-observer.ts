import type { JsonObject } from "./json.ts";
import { reportUncaught } from "./event.ts";
import type { HostsideErrorCode, HostsideError } from "./hostside-error.ts";
import type { CallContext } from "./call-context.ts";
import type { ToolOrigin } from "./tool.ts";
import type { ProtocolEra, ServerType } from "./server-spec.ts";

/**
 * A layer decided something about a call, in words that hold no arguments, no results and no texts
 * of a server.
 */
export interface CallDecision {
  /** `applied`, `refused`, `approval-asked`, `approval-answered`, … */
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Which part of the layer: `rules`, `limits`, `breaker`, `retry`, `cache`, … */
  readonly stage?: string;
  /** The answer of a human or a memory. */
  readonly decision?: string;
  readonly by?: string;
  readonly code?: HostsideErrorCode;
  readonly reason?: string;
}

/** One JSON-RPC request of a call that was answered, failed or was given up. */
export interface CallExchange {
  readonly requestId: string | number;
  /** As JSON in UTF-8. Absent where it never left, or the transport does not say. */
  readonly sentBytes?: number | undefined;
  /** Absent where there was no answer, or the transport does not say. */
  readonly receivedBytes?: number | undefined;
}

/**
 * Hears what becomes of one call, where it becomes of it: a layer puts one into `options.observer`
 * of what it hands on. All members are optional; each is called while the call is under way, in no
 * turn of its own, and what it throws goes to the runtime's handler of uncaught errors, as from a
 * listener of an event. A layer that finds one there hands it on with its own (`joinObservers`).
 */
export interface CallObserver {
  /**
   * Asked each time before the call is handed to a connection. Its result goes along in `_meta`,
   * and wins over the caller's; for what no layer in between may see as a difference between two
   * calls, such as `traceparent`. A connection asks again with each request about the task that its
   * server makes of the call.
   */
  readonly meta?: (() => JsonObject | undefined) | undefined;
  /** A layer decided something. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
  /** A request of it is over. For whoever hands the call to a connection. */
  readonly onExchange?: ((exchange: CallExchange) => void) | undefined;
  /** The call left its server behind; with layers that try again, once for each try. */
  readonly onRecord?: ((record: CallRecord) => void) | undefined;
}

/** Two observers as one; the first hears first, and its `meta` wins. */
export function joinObservers(first: CallObserver, second: CallObserver | undefined): CallObserver {
  if (second === undefined) return first;
  return {
    meta: () => ({ ...askForMeta(second), ...askForMeta(first) }),
    onDecision: both(first.onDecision, second.onDecision),
    onExchange: both(first.onExchange, second.onExchange),
    onRecord: both(first.onRecord, second.onRecord),
  };
}

/** Calls a hook of an observer. Its errors go to the runtime's handler of uncaught errors. */
export function tell<T>(hook: ((value: T) => void) | undefined, value: T): void {
  try {
    hook?.(value);
  } catch (error) {
    reportUncaught(error);
  }
}

/** Asks an observer for what goes along with a call; nothing if it throws. */
export function askForMeta({ meta }: Pick<CallObserver, "meta">): JsonObject | undefined {
  try {
    return meta?.();
  } catch (error) {
    reportUncaught(error);
    return undefined;
  }
}

type Hook<T> = ((value: T) => void) | undefined;

function both<T>(first: Hook<T>, second: Hook<T>): Hook<T> {
  if (first === undefined || second === undefined) return first ?? second;
  return (value) => {
    tell(first, value);
    tell(second, value);
  };
}

/**
 * The course of one call at its server: one record for each time that a call came to the queue of
 * its server. So a call that an interceptor refused or answered itself has none, nor has one for
 * which there was no room or whose tool was gone; and one that an interceptor tried twice has two:
 * `context.correlationId` shows which belong together. Holds neither arguments nor results.
 */
export interface CallRecord {
  readonly origin: ToolOrigin;
  /** As the caller gave it, without the token of an approval. */
  readonly context?: CallContext;
  /** When it came to the queue: milliseconds since 1970, for `new Date()`. */
  readonly startedAt: number;
  /** From then to its end, in milliseconds. */
  readonly durationMs: number;
  /** How much of that it waited before it was sent: the sum of the next three. */
  readonly queueMs: number;
  /**
   * For a session: while one was opened, by itself or by somebody else, or an earlier one ended.
   */
  readonly connectMs: number;
  /** For a listing, because the tools were not known, or known to be old. */
  readonly listMs: number;
  /** For its turn, behind other calls of the server. */
  readonly turnMs: number;
  /**
   * How often it was handed to a connection: 0 when it never was, 2 when it was sent once more
   * after a proof that it had not run.
   */
  readonly sends: number;
  /** Each of those times, in order. */
  readonly attempts: readonly CallAttempt[];
  /**
   * `ok`; `tool-error` when the tool itself said that it failed; `error` when the call was
   * rejected.
   */
  readonly result: "ok" | "tool-error" | "error";
  /** The error of a rejection. */
  readonly error?: HostsideError;
}

/** One time that a call was handed to a connection. */
export interface CallAttempt {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly peer: ServerPeer;
  /**
   * JSON-RPC requests that it took: several where the server asked a question, or made a task of
   * it. 0 where the connection does not say.
   */
  readonly requests: number;
  /** The id of the first of them. */
  readonly requestId?: string | number;
  /**
   * The bytes of all of them, as JSON in UTF-8, without headers and frames. Absent where the
   * connection does not say.
   */
  readonly sentBytes?: number;
  /**
   * The bytes of the answers, as {@linkcode sentBytes}; progress and other messages on the way are
   * not counted.
   */
  readonly receivedBytes?: number;
  /** Why it ended, if not with a result. */
  readonly error?: HostsideError;
}

/** An operation of a provider with one server: one record when it is over. */
export interface ServerRecord {
  readonly serverId: string;
  /**
   * `connect`: an attempt to open a session, with every fallback and the handshake; `list`: one
   * `tools/list`, all pages; `session`: from the moment that it was open until it was given up or
   * lost.
   */
  readonly operation: "connect" | "list" | "session";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** In milliseconds. An attempt that waited for a turn to start began after that. */
  readonly durationMs: number;
  readonly peer: ServerPeer;
  /** The error; of a session, the reason of its end. */
  readonly error?: HostsideError;
  /** How many tools a listing had. */
  readonly toolCount?: number;
}

/** Something that a provider begins to do with one server by itself. */
export interface ServerOperation {
  readonly serverId: string;
  /** As in its record. */
  readonly operation: "connect" | "list";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /**
   * Has somebody hear of it. To be called while the operation is announced; later it has no effect.
   */
  readonly observe: (observer: ServerObserver) => void;
}

/**
 * Hears what becomes of one operation. Errors of a member go to the runtime's handler of uncaught
 * errors, and disturb nothing else.
 */
export interface ServerObserver {
  /**
   * Asked with each request that the operation takes: those of the handshake, that for a stream of
   * changes, each page of a listing. Its result goes along in `_meta`, where the protocol's
   * own members win; of several observers, the first.
   */
  readonly meta?: (() => JsonObject | undefined) | undefined;
  /** The operation is over. Called once, before `onServerRecord` fires with the same record. */
  readonly onRecord?: ((record: ServerRecord) => void) | undefined;
}

/**
 * How a host spoke with a server: plain data, the same object for all that went over one session.
 */
export interface ServerPeer {
  readonly transport: ServerType;
  /** Absent where nobody answered. */
  readonly era?: ProtocolEra;
  readonly protocolVersion?: string;
  /** Over HTTP: which of its two transports was spoken. */
  readonly httpMode?: "streamable" | "sse";
  /** Host name or address of a server behind a URL. */
  readonly address?: string;
  /** Its port; that of the scheme where the URL names none. */
  readonly port?: number;
  /** Number of the session at its server, since that was registered: 1 is the first attempt. */
  readonly session: number;
  /**
   * The protocol's own id of the session, where it has one. It lets anybody speak in the session: a
   * secret, and so it does not show when members are listed, nor in JSON.
   */
  readonly sessionId?: string | undefined;
}
