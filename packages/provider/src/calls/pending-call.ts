import {
  defaultTimeouts,
  type CallRecord,
  type Cancel,
  type Clock,
  type ServerSpec,
  type ToolCall,
  type ToolDefinition,
} from "@hostside/core";
import { fairnessKeyOf, type Deadline, type EventSource } from "@hostside/core/implement";
import { CallWatch } from "./call-watch.ts";
import type { GateMode, GateEntry } from "./gate.ts";
import type { HandCall } from "./hand-call.ts";

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
