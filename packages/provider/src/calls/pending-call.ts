import {
  defaultTimeouts,
  type CallRecord,
  type Cancel,
  type Clock,
  type ServerSpec,
  type ToolCall,
  type ToolDefinition,
  type CallAttempt,
  type CallExchange,
  type CallObserver,
  type CallOptions,
  type HostsideError,
  type Connection,
  type JsonObject,
} from "@hostside/core";
import { fairnessKeyOf, askForMeta, dateOf, type Deadline, type EventSource } from "@hostside/core/implement";
import type { GateMode, GateEntry } from "./fair-queue.ts";
import type { Session } from "../link/sessions.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";

/** A call on its way, with what it needs for more than one step. */
export interface PendingCall extends ToolCall, GateEntry {
  hand: HandCall | undefined;
  /** In all, for errors. */
  readonly timeoutMs: number;
  /** What is left of it for the call queue. */
  readonly budgetMs: number;
  readonly startedAt: number;
  /** How long it has waited so far: for a session, for a listing, for its turn. */
  connectMs: number;
  listMs: number;
  turnMs: number;
  /** How often it was handed to a connection. */
  sends: number;
  /** There when somebody watches. */
  readonly watch: CallWatch | undefined;
  /** Made when there is something to wait for. */
  deadline: Deadline | undefined;
  /** Takes that deadline out of those that stand still together. */
  leave: Cancel | undefined;
}

/** What a call is prepared with. */
export interface PendingCallInit {
  readonly link: { readonly spec: ServerSpec };
  readonly clock: Clock;
  /** Those who want a record of every call that ended. */
  readonly callEnded: EventSource<CallRecord>;
}

/** Begins to count the time of a call that is new to its call queue. */
export function toPendingCall(
  { origin, definition, args, options }: ToolCall,
  hand: HandCall | undefined,
  { link: { spec }, clock, callEnded }: PendingCallInit,
): PendingCall {
  const { deadline } = options;
  const timeoutMs = options.timeoutMs ?? spec.timeouts?.callMs ?? defaultTimeouts.callMs;
  // Written out: a spread costs more than all the rest that this package does for a call.
  return {
    origin,
    definition,
    args,
    options,
    mode: modeOf(spec, definition),
    fairnessKey: fairnessKeyOf(options.context),
    timeoutMs,
    budgetMs: deadline === undefined ? timeoutMs : Math.min(timeoutMs, deadline.remainingMs()),
    startedAt: clock.now(),
    connectMs: 0,
    listMs: 0,
    turnMs: 0,
    sends: 0,
    watch: callEnded.hasListeners || options.observer?.onRecord !== undefined ? new CallWatch(clock) : undefined,
    deadline: undefined,
    leave: undefined,
    hand,
  };
}

function modeOf({ concurrency }: ServerSpec, { annotations }: ToolDefinition): GateMode {
  if (concurrency === "read-only-parallel") return annotations?.readOnlyHint === true ? "shared" : "exclusive";
  return "shared";
}

/** What is noted of one call while somebody watches it. */
export class CallWatch {
  readonly attempts: CallAttempt[] = [];
  readonly #clock: Clock;
  #current: CurrentAttempt | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The call is handed to a connection now. What is returned hears of its requests. */
  begin(session: Session): CallObserver {
    const current = new CurrentAttempt(session, this.#clock);
    this.#current = current;
    return { onExchange: (exchange) => current.note(exchange) };
  }

  /** It is back. */
  end(failure: unknown, serverId: string): void {
    if (this.#current === undefined) return;
    const error = failure === undefined ? undefined : toHostsideError(failure, serverId, "tools/call");
    this.attempts.push(this.#current.read(error));
    this.#current = undefined;
  }
}

class CurrentAttempt {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #requests = 0;
  #requestId: string | number | undefined;
  #sentBytes: number | undefined;
  #receivedBytes: number | undefined;

  constructor(session: Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#startedAt = clock.now();
  }

  note({ requestId, sentBytes, receivedBytes }: CallExchange): void {
    this.#requests += 1;
    this.#requestId ??= requestId;
    this.#sentBytes = sum(this.#sentBytes, sentBytes);
    this.#receivedBytes = sum(this.#receivedBytes, receivedBytes);
  }

  read(error: HostsideError | undefined): CallAttempt {
    const durationMs = this.#clock.now() - this.#startedAt;
    return {
      startedAt: Math.round(dateOf(this.#clock) - durationMs),
      durationMs,
      peer: this.#session.peer,
      requests: this.#requests,
      ...(this.#requestId !== undefined && { requestId: this.#requestId }),
      ...(this.#sentBytes !== undefined && { sentBytes: this.#sentBytes }),
      ...(this.#receivedBytes !== undefined && { receivedBytes: this.#receivedBytes }),
      ...(error !== undefined && { error }),
    };
  }
}

function sum(before: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? before : (before ?? 0) + more;
}

/**
 * What a connection hears of an observer: who watches the call for the provider, and what
 * goes along in `_meta`.
 */
export function observerOf(watching: CallObserver | undefined, { observer }: CallOptions): CallObserver | undefined {
  return observer?.meta === undefined ? watching : { ...watching, meta: observer.meta };
}

/** The `_meta` of a call: what its caller gave, and what an observer wants to go along. */
export function observedMetaOf({ meta, observer }: CallOptions): CallOptions["meta"] {
  if (observer === undefined) return meta;
  const carried = askForMeta(observer);
  return carried === undefined ? meta : { ...meta, ...carried };
}

/** Hands a call to a connection in words of its own; `options` have what is left of its time. */
export type HandCall = (connection: Connection, call: ToolCall, options: CallOptions) => Promise<JsonObject>;
