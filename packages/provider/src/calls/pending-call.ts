import {
  defaultTimeouts,
  type CallRecord,
  type Cancel,
  type ServerSpec,
  type ToolCall,
  type ToolDefinition,
  type CallAttempt,
  type CallObserver,
  type CallOptions,
} from "@hostside/core";
import { clock, fairnessKeyOf, askForMeta, type Deadline, type EventSource } from "@hostside/core/implement";
import type { GateMode, GateEntry, Wait } from "./fair-queue.ts";
import type { Session } from "../link/sessions.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";

/** A call on its way, with what it needs for more than one step. */
export interface PendingCall extends ToolCall, GateEntry {
  /** In all, for errors. */
  readonly timeoutMs: number;
  /** The rest of it for the call queue. */
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
  /** The latest wait. */
  wait: Wait | undefined;
  /** Takes that deadline out of those that stand still together. */
  leave: Cancel | undefined;
}

/** Begins to count the time of a call that is new to its call queue. */
export function toPendingCall(
  { origin, definition, args, options }: ToolCall,
  {
    link: { spec },
    callEnded,
  }: {
    readonly link: { readonly spec: ServerSpec };
    readonly callEnded: EventSource<CallRecord>;
  },
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
    watch: callEnded.hasListeners || options.observer?.onRecord !== undefined ? new CallWatch() : undefined,
    deadline: undefined,
    wait: undefined,
    leave: undefined,
  };
}

function modeOf({ concurrency }: ServerSpec, { annotations }: ToolDefinition): GateMode {
  if (concurrency === "read-only-parallel") return annotations?.readOnlyHint === true ? "shared" : "exclusive";
  return "shared";
}

/** Notes on one call while somebody watches it. */
export class CallWatch {
  readonly attempts: CallAttempt[] = [];
  #current: (Pick<CallAttempt, "startedAt" | "peer"> & Exchanged) | undefined;

  /** The call is handed to a connection now. The returned observer hears of its requests. */
  begin({ peer }: Session): CallObserver {
    const sum: Exchanged = { requests: 0, requestId: undefined, sentBytes: undefined, receivedBytes: undefined };
    const current = Object.assign(sum, { startedAt: clock.now(), peer });
    this.#current = current;
    return {
      onExchange({ requestId, sentBytes, receivedBytes }) {
        current.requests += 1;
        current.requestId ??= requestId;
        current.sentBytes = add(current.sentBytes, sentBytes);
        current.receivedBytes = add(current.receivedBytes, receivedBytes);
      },
    };
  }

  /** It is back. */
  end(failure: unknown, serverId: string): void {
    if (this.#current === undefined) return;
    const { startedAt, requestId, sentBytes, receivedBytes, ...rest } = this.#current;
    this.#current = undefined;
    const durationMs = clock.now() - startedAt;
    this.attempts.push({
      ...rest,
      startedAt: Math.round(clock.date() - durationMs),
      durationMs,
      ...(requestId !== undefined && { requestId }),
      ...(sentBytes !== undefined && { sentBytes }),
      ...(receivedBytes !== undefined && { receivedBytes }),
      ...(failure !== undefined && { error: toHostsideError(failure, serverId, "tools/call") }),
    });
  }
}

interface Exchanged {
  requests: number;
  requestId: string | number | undefined;
  sentBytes: number | undefined;
  receivedBytes: number | undefined;
}

function add(before: number | undefined, more: number | undefined): number | undefined {
  return more === undefined ? before : (before ?? 0) + more;
}

/**
 * The observer that a connection gets: who watches the call for the provider, and what
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
