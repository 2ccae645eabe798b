import type { CallRecord } from "./call-record.ts";
import type { JsonObject } from "./json.ts";
import { reportUncaught } from "./report-uncaught.ts";
import type { HostsideErrorCode } from "./hostside-error-code.ts";

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
  /** What a human or a memory answered. */
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

/** What a server says of a call that it made a task of, and goes on with by itself. */
export interface CallTask {
  /**
   * `working`, `input_required`, `completed`, `failed` or `cancelled`; or what else a server says.
   */
  readonly status: string;
  /** The server's words on it, for people. Has no secret of the host's in it. */
  readonly message?: string | undefined;
}

/**
 * Hears what becomes of one call, where it becomes of it: a layer puts one into `options.observer`
 * of what it hands on. All members are optional; each is called while the call is under way, in no
 * turn of its own, and what it throws goes to the runtime's handler of uncaught errors, as from a
 * listener of an event. A layer that finds one there hands it on with its own (`joinObservers`).
 */
export interface CallObserver {
  /**
   * Asked each time before the call is handed to a connection. What it returns goes along in
   * `_meta`, and wins over the caller's; for what no layer in between may see as a difference
   * between two calls, such as `traceparent`. A connection asks again with each request about the
   * task that its server makes of the call.
   */
  readonly meta?: (() => JsonObject | undefined) | undefined;
  /** A layer decided something. */
  readonly onDecision?: ((decision: CallDecision) => void) | undefined;
  /** A request of it is over. For whoever hands the call to a connection. */
  readonly onExchange?: ((exchange: CallExchange) => void) | undefined;
  /**
   * The server made a task of the call; then again each time that its state is heard. For whoever
   * hands the call to a connection, and waits for the task.
   */
  readonly onTask?: ((task: CallTask) => void) | undefined;
  /** The call left its server behind; with layers that try again, once for each try. */
  readonly onRecord?: ((record: CallRecord) => void) | undefined;
}

/** Two observers as one; the first hears first, and its `meta` wins. */
export function joinObservers(first: CallObserver, second: CallObserver | undefined): CallObserver {
  if (second === undefined) return first;
  const joined = {
    meta: () => ({ ...askForMeta(second), ...askForMeta(first) }),
    onDecision: both(first.onDecision, second.onDecision),
    onExchange: both(first.onExchange, second.onExchange),
    onTask: both(first.onTask, second.onTask),
    onRecord: both(first.onRecord, second.onRecord),
  };
  joinedOf.set(joined, [first, second]);
  return joined;
}

const joinedOf = new WeakMap<CallObserver, readonly [CallObserver, CallObserver]>();

/**
 * Whether an observer is one of these, or was joined with one: so a layer finds its own, whatever
 * layers in between have joined with it.
 */
export function hasObserver(observer: CallObserver, own: Pick<WeakSet<CallObserver>, "has">): boolean {
  let rest: CallObserver | undefined = observer;
  while (rest !== undefined) {
    if (own.has(rest)) return true;
    const parts = joinedOf.get(rest);
    if (parts !== undefined && own.has(parts[0])) return true;
    rest = parts?.[1];
  }
  return false;
}

/** Calls a hook of an observer. What it throws goes to the runtime's handler of uncaught errors. */
export function tell<T>(hook: ((value: T) => void) | undefined, value: T): void {
  try {
    hook?.(value);
  } catch (error) {
    reportUncaught(error);
  }
}

/** What an observer wants to go along with a call; nothing where it throws. */
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
