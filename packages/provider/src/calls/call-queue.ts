import {
  defaultLimits,
  defaultTimeouts,
  type CallObserver,
  type CallOptions,
  type CallRecord,
  type Diagnostic,
  type ServerSpec,
  type ToolCall,
  type ToolOutcome,
  type HostsideError,
} from "@hostside/core";
import {
  clock,
  createDeadline,
  describeLostNumber,
  findLostDigits,
  onAbort,
  quoteText,
  tell,
  withoutApproval,
  type Deadline,
  type EventSource,
} from "@hostside/core/implement";
import type { CatalogTool } from "../catalog/define-tool.ts";
import type { Link } from "../link/link.ts";
import { hasSession, isRefusal } from "../link/link-state.ts";
import { isForgotten } from "../link/session-transitions.ts";
import type { Session } from "../link/sessions.ts";
import {
  callAbortedError,
  failedCallError,
  notSentError,
  displacedError,
  overloadedError,
  callTimeoutError,
  toolQuarantinedError,
  toolRemovedError,
  checkSelection,
} from "./call-errors.ts";
import { observedMetaOf, observerOf, toPendingCall, type HandCall, type PendingCall } from "./pending-call.ts";
import { createWaitingCalls, Gate, type GateEntry, type WaitingCalls } from "./fair-queue.ts";
import { createPausable, type Pausable } from "./pausable.ts";
import { resumeLostCall, toOutcome, type FailedCallToResume } from "./resume-lost-call.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";

/** All calls of one registered server. */
export interface CallQueue {
  /** Calls on the wire. */
  readonly inFlight: number;
  /** Calls that wait for the session, for a listing or for their turn. */
  readonly waiting: number;
  /**
   * Takes no longer than is left of the call's `deadline`, where it has one, and stops it with its
   * own clocks. `hand` hands it to a connection; default `callTool`.
   */
  call(call: ToolCall, hand?: HandCall): Promise<ToolOutcome>;
  /** The deadlines of the calls that wait. Of those on the wire the connection takes care. */
  readonly pausable: Pausable;
  /** Turns away the calls that wait for their turn. */
  rejectWaiting(error: HostsideError): void;
}

/** What a call queue is made from. */
export interface CallQueueInit {
  readonly link: Link;
  /** The definition that is on offer now for a remote name. */
  readonly find: (toolName: string) => CatalogTool | undefined;
  readonly isQuarantined: (toolName: string) => boolean;
  /** Those who want a record of every call that ended. */
  readonly callEnded: EventSource<CallRecord>;
  readonly diagnostic: Pick<EventSource<Diagnostic>, "emit">;
}

interface OpenCallQueue extends CallQueueInit {
  readonly gate: Gate;
  readonly waitingCalls: WaitingCalls;
  readonly pausable: Pausable;
  /** Tools whose results were told to have lost digits. */
  readonly inexact: Set<string>;
}

/**
 * Makes the call queue of one link. A call takes the short way when nothing has to happen first: no
 * timer, no listener, no promise but the connection's. Otherwise it waits, under one deadline, for
 * session, listing and turn, and its route is checked again.
 */
export function createCallQueue(init: CallQueueInit): CallQueue {
  let used: OpenCallQueue | undefined;
  let admitted = 0;

  return {
    async call(call, hand) {
      const signal = call.options.signal;
      if (signal?.aborted === true) throw callAbortedError(call.origin, signal.reason);
      // Many a server is connected and never called.
      const queue = (used ??= openCallQueue(init));
      checkRoute(call, queue);
      const pending = toPendingCall(call, hand, queue);
      checkCrowd(pending, admitted, queue);
      const { deadline } = call.options;
      const leave = deadline === undefined ? undefined : queue.pausable.add(deadline, pending.fairnessKey);
      admitted += 1;
      let outcome: ToolOutcome | undefined;
      let failure: unknown;
      try {
        for (let attempt = 1; ; attempt += 1) {
          const session = enterAtOnce(pending, queue, attempt) ?? (await enter(pending, queue));
          try {
            outcome = await send(pending, session, queue);
            return outcome;
          } catch (reason) {
            const lost = readFailure(reason, { pending, session, attempt }, queue);
            if (lost === undefined) continue;
            outcome = await goOn(pending, queue, lost);
            return outcome;
          }
        }
      } catch (reason) {
        failure = reason;
        throw reason;
      } finally {
        admitted -= 1;
        leave?.();
        pending.leave?.();
        pending.deadline?.dispose();
        if (pending.watch !== undefined) {
          const record = recordOf(pending, { outcome, failure });
          tell(pending.options.observer?.onRecord, record);
          queue.callEnded.emit(record);
        }
      }
    },
    rejectWaiting: (error) => used?.gate.rejectAll(error),
    get inFlight() {
      return used?.gate.active ?? 0;
    },
    get pausable() {
      return (used ??= openCallQueue(init)).pausable;
    },
    get waiting() {
      return admitted - (used?.gate.active ?? 0);
    },
  };
}

function openCallQueue(init: CallQueueInit): OpenCallQueue {
  const { link } = init;
  const mostMs = (): number => link.spec.timeouts?.elicitTotalMs ?? defaultTimeouts.elicitTotalMs;
  const gate = new Gate(() => capacityOf(link.spec));
  return {
    ...init,
    gate,
    waitingCalls: createWaitingCalls(),
    pausable: createPausable({ mostMs }),
    inexact: new Set(),
  };
}

/** Throws when there is no place for one more. */
function checkCrowd(pending: PendingCall, admitted: number, queue: OpenCallQueue): void {
  const { spec } = queue.link;
  const mayWait = spec.limits?.maxQueuedCalls ?? defaultLimits.maxQueuedCalls;
  if (admitted < capacityOf(spec) + mayWait || findPlace(pending, queue)) return;
  throw overloadedError(pending.origin, mayWait);
}

/** The session, where there is one and it is the call's turn. */
function enterAtOnce(pending: PendingCall, queue: OpenCallQueue, attempt: number): Session | undefined {
  const session = queue.link.current();
  if (session === undefined) return undefined;
  // Since the first attempt another call may have brought another session, and another listing.
  if (attempt > 1) checkRoute(pending, queue);
  return queue.gate.tryEnter(pending) ? session : undefined;
}

/**
 * What is left of a call that its server goes on with; `undefined` for one that may be sent once
 * more. Throws why it failed otherwise.
 */
function readFailure(
  reason: unknown,
  { pending, session, attempt }: { readonly pending: PendingCall; readonly session: Session; readonly attempt: number },
  { link }: OpenCallQueue,
): FailedCallToResume | undefined {
  const error = failedCallError(reason, { ...pending, idleMs: link.spec.timeouts?.callIdleMs }, session);
  noteFailure(error, session, link);
  const lost = session.connection.lostCall?.(reason);
  if (lost !== undefined) return { lost, error };
  if (attempt > 1 || !provablyDidNotRun(error, session, link)) throw error;
  return undefined;
}

/** Waits for the end of a call that its server goes on with, though the session was lost. */
function goOn(pending: PendingCall, queue: OpenCallQueue, first: FailedCallToResume): Promise<ToolOutcome> {
  return resumeLostCall(first, {
    enter: () => enter(pending, queue),
    async send(session, hand) {
      pending.hand = hand;
      try {
        return await send(pending, session, queue);
      } catch (reason) {
        noteFailure(failedCallError(reason, pending, session), session, queue.link);
        throw reason;
      }
    },
  });
}

/** Waits for a session that is up to date, and for the call's turn. */
async function enter(pending: PendingCall, queue: OpenCallQueue): Promise<Session> {
  const { link, gate, waitingCalls, pausable } = queue;
  const deadline = (pending.deadline ??= startDeadline(pending));
  pending.leave ??= pausable.add(deadline, pending.fairnessKey);
  const given = new AbortController();
  const ignore = onAbort(deadline.signal, () => given.abort(deadline.signal.reason));
  if (deadline.signal.aborted) given.abort(deadline.signal.reason);
  const leaveWaiting = waitingCalls.add(pending.fairnessKey, (crowd) =>
    given.abort(displacedError(pending.origin, crowd)),
  );
  let entered = false;
  try {
    let session = link.current() ?? (await untilReady(pending, queue, given));
    entered = gate.tryEnter(pending);
    if (!entered) {
      const queuedAt = clock.now();
      await gate.enter(pending, given.signal).finally(() => (pending.turnMs += clock.now() - queuedAt));
      entered = true;
      leaveWaiting();
      // The session may have been lost, or the tools may have changed, while the call stood in the
      // queue.
      session = link.current() ?? (await untilReady(pending, queue, given));
    }
    checkRoute(pending, queue);
    return session;
  } catch (reason) {
    if (entered) gate.leave(pending);
    throw notSentError(reason, pending, retryAfterMs(link));
  } finally {
    leaveWaiting();
    ignore();
  }
}

/**
 * Waits for a session that is up to date, and notes how much of that went into connecting and how
 * much into a listing.
 */
async function untilReady(pending: PendingCall, { link }: OpenCallQueue, given: AbortController): Promise<Session> {
  const from = clock.now();
  try {
    return await link.ready("call", given.signal);
  } finally {
    const waitedMs = clock.now() - from;
    const { state } = link;
    const isConnected = hasSession(state);
    const failedToList = state.kind === "failed" && state.stage === "list";
    const connectMs = isConnected
      ? Math.min(waitedMs, Math.max(0, state.connectedAt - from))
      : failedToList
        ? 0
        : waitedMs;
    pending.connectMs += connectMs;
    pending.listMs += waitedMs - connectMs;
  }
}

const mostInexact = 100;

// A text beside it has the digits that the server wrote.
function reportLostDigits(
  { structuredContent, content, origin }: ToolOutcome,
  { diagnostic, inexact }: OpenCallQueue,
): void {
  const { serverId, toolName } = origin;
  if (inexact.has(toolName) || inexact.size >= mostInexact) return;
  const lost = findLostDigits(structuredContent);
  if (lost === undefined) return;
  const { digits } = lost;
  const saysIt = (text: string): boolean => (digits === undefined ? /\d{16}/.test(text) : text.includes(digits));
  if (content.some(({ text }) => typeof text === "string" && saysIt(text))) return;
  inexact.add(toolName);
  const message = `the structured content of ${quoteText(toolName)} has ${describeLostNumber(lost)}; the server should send it as a string`;
  diagnostic.emit({ kind: "protocol-anomaly", serverId, toolName, message });
}

async function send(pending: PendingCall, session: Session, queue: OpenCallQueue): Promise<ToolOutcome> {
  const { link, gate } = queue;
  const { origin, args, options, hand, watch } = pending;
  let failure: unknown;
  session.enter();
  try {
    if (session.endedBy !== undefined) throw notSentError(session.endedBy, pending);
    // On the short way, no time has passed.
    const isFirst = pending.sends === 0 && pending.deadline === undefined;
    const leftMs = isFirst ? Math.max(1, pending.budgetMs) : remainingMs(pending);
    pending.sends += 1;
    const { connection } = session;
    const wire = wireOptions(options, leftMs, observerOf(watch?.begin(session), options));
    const raw = await (hand?.(connection, pending, wire) ?? connection.callTool(origin.toolName, args, wire));
    noteSuccess(session, link);
    const outcome = toOutcome(raw, origin);
    if (outcome.structuredContent !== undefined) reportLostDigits(outcome, queue);
    return outcome;
  } catch (reason) {
    failure = reason;
    throw reason;
  } finally {
    watch?.end(failure, origin.serverId);
    session.leave();
    gate.leave(pending);
  }
}

/**
 * Whether there is a place for one more where all are taken: beyond the crowd, or that of one of a
 * caller with more who wait.
 */
function findPlace(turn: GateEntry, { link, gate, waitingCalls }: OpenCallQueue): boolean {
  // Nobody in particular is all that a host without contexts knows, and has no place beyond the
  // crowd.
  return (
    (turn.fairnessKey !== undefined && link.current() !== undefined && gate.isOpen(turn)) ||
    waitingCalls.evictFor(turn.fairnessKey)
  );
}

// What the connection has to know: not what was selected, and not how long the caller gave it all.
function wireOptions(options: CallOptions, timeoutMs: number, observer: CallObserver | undefined): CallOptions {
  const { onProgress } = options;
  const meta = observedMetaOf(options);
  const context = withoutApproval(options.context);
  const isPlain = options.signal === undefined && meta === undefined && onProgress === undefined;
  // What has fewer members is looked at sooner.
  if (isPlain && context === undefined && observer === undefined) return { timeoutMs };
  return { signal: options.signal, timeoutMs, meta, context, onProgress, observer };
}

/** Throws unless the call still leads to a tool on offer, and to the one that was selected. */
function checkRoute(
  { origin, options }: ToolCall,
  { find, isQuarantined }: Pick<OpenCallQueue, "find" | "isQuarantined">,
): void {
  const current = find(origin.toolName);
  if (current === undefined) {
    throw isQuarantined(origin.toolName) ? toolQuarantinedError(origin) : toolRemovedError(origin);
  }
  if (options.selected !== undefined) checkSelection(options.selected, current);
}

// Most calls have nothing to report, and the state machine is not bothered with them.
function noteSuccess({ number }: Session, link: Link): void {
  const { state } = link;
  if (state.kind !== "ready" || (state.failures === 0 && state.refusal === undefined)) return;
  link.report({ type: "proven", session: number });
}

function noteFailure(error: HostsideError, { number }: Session, link: Link): void {
  if (isForgotten(error)) link.report({ type: "session-lost", session: number, error });
  if (isRefusal(error)) link.report({ type: "refused", session: number, error });
}

/**
 * Whether the call may be sent once more by itself: the server provably refused it because the
 * session had expired (that alone is a `session_expired` whose outcome is `failed`), or it never
 * left this host because its session was lost first. Nothing else is ever sent twice.
 */
function provablyDidNotRun(error: HostsideError, session: Session, { state }: Link): boolean {
  if (error.code === "session_expired") return error.outcome !== "unknown";
  // A server that was known, and is another one now, refuses what it is sent without a handshake.
  const isMistaken = error.code === "unsupported_protocol" && session.connection.isAssumed === true;
  if (isMistaken) return error.outcome === "failed" || error.outcome === "not-sent";
  if (error.outcome !== "not-sent" || error.kind !== "execution" || error.code === "server_removed") return false;
  return state.kind !== "ready" || state.session !== session.number;
}

function startDeadline(pending: PendingCall): Deadline {
  return createDeadline({
    timeoutMs: remainingMs(pending),
    signal: pending.options.signal,
    onTimeout: () => callTimeoutError(pending),
  });
}

function remainingMs({ deadline, startedAt, budgetMs }: PendingCall): number {
  return Math.max(1, deadline?.remainingMs() ?? budgetMs - (clock.now() - startedAt));
}

function retryAfterMs({ state }: Link): number | undefined {
  return "retryAt" in state ? Math.max(0, Math.ceil(state.retryAt - clock.now())) : undefined;
}

function capacityOf({ concurrency, limits }: ServerSpec): number {
  return concurrency === "serial" ? 1 : (limits?.maxInFlightCalls ?? defaultLimits.maxInFlightCalls);
}

/** What became of a call, for those who watch. Made only when there are any. */
function recordOf(
  { origin, options, startedAt, connectMs, listMs, turnMs, sends, watch }: PendingCall,
  { outcome, failure }: { readonly outcome: ToolOutcome | undefined; readonly failure: unknown },
): CallRecord {
  const { context } = options;
  const durationMs = clock.now() - startedAt;
  const record = {
    origin,
    ...(context !== undefined && { context: withoutApproval(context) }),
    startedAt: Math.round(clock.date() - durationMs),
    durationMs,
    queueMs: connectMs + listMs + turnMs,
    connectMs,
    listMs,
    turnMs,
    sends,
    attempts: watch?.attempts ?? [],
  };
  if (outcome !== undefined) return { ...record, result: outcome.isError ? "tool-error" : "ok" };
  return { ...record, result: "error", error: toHostsideError(failure, origin.serverId, "tools/call") };
}
