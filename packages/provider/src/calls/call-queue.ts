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
import { observedMetaOf, observerOf, toPendingCall, type PendingCall } from "./pending-call.ts";
import { findDisplaced, Gate, removeFrom, Wait, type GateEntry } from "./fair-queue.ts";
import { Pausable } from "./pausable.ts";
import { toOutcome } from "./to-outcome.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";

/** The parts of a call queue. */
export interface CallQueueInit {
  readonly link: Link;
  /** The definition that is on offer now for a remote name. */
  readonly find: (toolName: string) => CatalogTool | undefined;
  readonly isQuarantined: (toolName: string) => boolean;
  /** The listeners for a record of every call that ended. */
  readonly callEnded: EventSource<CallRecord>;
  readonly diagnose: (diagnostic: Diagnostic) => void;
}

interface UsedParts {
  readonly gate: Gate;
  /** Calls that wait for the session, for a listing or for their turn. */
  readonly crowd: PendingCall[];
  readonly pausable: Pausable;
  /** Tools whose results were told to have lost digits. */
  readonly inexact: Set<string>;
}

function makeParts({ link }: CallQueueInit): UsedParts {
  const gate = new Gate(() => capacityOf(link.spec));
  return { gate, crowd: [], pausable: new Pausable(), inexact: new Set() };
}

/**
 * All calls of one registered server. A call takes the short way when nothing has to happen first:
 * no timer, no listener, no promise but the connection's. Otherwise it waits, under one deadline,
 * for session, listing and turn, and its route is checked again.
 */
export class CallQueue {
  readonly #init: CallQueueInit;
  #used: UsedParts | undefined;
  #admitted = 0;

  constructor(init: CallQueueInit) {
    this.#init = init;
  }

  // Many a server is connected and never called.
  get #parts(): UsedParts {
    this.#used ??= makeParts(this.#init);
    return this.#used;
  }

  get #gate(): Gate {
    return this.#parts.gate;
  }

  /** The deadlines of the calls that wait. The connection takes care of those on the wire. */
  get pausable(): Pausable {
    return this.#parts.pausable;
  }

  /** Calls on the wire. */
  get inFlight(): number {
    return this.#used?.gate.active ?? 0;
  }

  /** Calls that wait for the session, for a listing or for their turn. */
  get waiting(): number {
    return this.#admitted - this.inFlight;
  }

  /**
   * Takes no longer than is left of the call's `deadline`, where it has one, and stops it with its
   * own clocks.
   */
  async call(call: ToolCall): Promise<ToolOutcome> {
    const signal = call.options.signal;
    if (signal?.aborted === true) throw callAbortedError(call.origin, signal.reason);
    this.#checkRoute(call);
    const pending = toPendingCall(call, this.#init);
    this.#checkCrowd(pending);
    const { deadline } = call.options;
    const leave = deadline === undefined ? undefined : this.pausable.add(deadline, pending.fairnessKey);
    this.#admitted += 1;
    let outcome: ToolOutcome | undefined;
    let failure: unknown;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const session = this.#enterAtOnce(pending, attempt) ?? (await this.#enter(pending));
        try {
          outcome = await this.#send(pending, session);
          return outcome;
        } catch (reason) {
          this.#throwUnlessRepeatable(reason, { pending, session, attempt });
        }
      }
    } catch (reason) {
      failure = reason;
      throw reason;
    } finally {
      this.#admitted -= 1;
      leave?.();
      pending.leave?.();
      pending.deadline?.dispose();
      if (pending.watch !== undefined) {
        const record = recordOf(pending, { outcome, failure });
        tell(pending.options.observer?.onRecord, record);
        this.#init.callEnded.emit(record);
      }
    }
  }

  /** Turns away the calls that wait for their turn. */
  rejectWaiting(error: HostsideError): void {
    this.#used?.gate.rejectAll(error);
  }

  /** Throws when there is no place for one more. */
  #checkCrowd(pending: PendingCall): void {
    const { spec } = this.#init.link;
    const mayWait = spec.limits?.maxQueuedCalls ?? defaultLimits.maxQueuedCalls;
    if (this.#admitted < capacityOf(spec) + mayWait || this.#findPlace(pending)) return;
    throw overloadedError(pending.origin, mayWait);
  }

  /** The session, where there is one and it is the call's turn. */
  #enterAtOnce(pending: PendingCall, attempt: number): Session | undefined {
    const session = this.#init.link.current();
    if (session === undefined) return undefined;
    // Since the first attempt another call may have brought another session, and another listing.
    if (attempt > 1) this.#checkRoute(pending);
    return this.#gate.tryEnter(pending) ? session : undefined;
  }

  /** Throws why a call failed, unless it provably did not run and may be sent once more. */
  #throwUnlessRepeatable(
    reason: unknown,
    {
      pending,
      session,
      attempt,
    }: { readonly pending: PendingCall; readonly session: Session; readonly attempt: number },
  ): void {
    const { link } = this.#init;
    const error = failedCallError(reason, { ...pending, idleMs: link.spec.timeouts?.callIdleMs }, session);
    this.#noteFailure(error, session);
    if (attempt > 1 || !provablyDidNotRun(error, session, link)) throw error;
  }

  /** Waits for a session that is up to date, and for the call's turn. */
  async #enter(pending: PendingCall): Promise<Session> {
    const { link } = this.#init;
    const { gate, crowd } = this.#parts;
    const { signal } = pending.options;
    const wait = (pending.wait = new Wait());
    pending.deadline ??= createDeadline({
      mostPausedMs: link.spec.timeouts?.elicitTotalMs ?? defaultTimeouts.elicitTotalMs,
      timeoutMs: remainingMs(pending),
      onTimeout: () => pending.wait?.giveUp(callTimeoutError(pending)),
    });
    pending.leave ??= this.pausable.add(pending.deadline, pending.fairnessKey);
    const ignore = signal && onAbort(signal, () => wait.giveUp(signal.reason));
    if (signal?.aborted) wait.giveUp(signal.reason);
    if (pending.deadline.remainingMs() <= 0) wait.giveUp(callTimeoutError(pending));
    crowd.push(pending);
    let entered = false;
    try {
      let session = link.current() ?? (await this.#untilReady(pending, wait));
      entered = gate.tryEnter(pending);
      if (!entered) {
        const queuedAt = clock.now();
        try {
          await gate.enter(pending, wait);
        } finally {
          pending.turnMs += clock.now() - queuedAt;
        }
        entered = true;
        removeFrom(crowd, pending);
        // The session may have been lost, or the tools may have changed, while the call stood in
        // the queue.
        session = link.current() ?? (await this.#untilReady(pending, wait));
      }
      this.#checkRoute(pending);
      return session;
    } catch (reason) {
      if (entered) gate.leave(pending);
      throw notSentError(reason, pending, retryAfterMs(link));
    } finally {
      removeFrom(crowd, pending);
      ignore?.();
    }
  }

  /**
   * Waits for a session that is up to date, and notes how much of that went into connecting and how
   * much into a listing.
   */
  async #untilReady(pending: PendingCall, wait: Wait): Promise<Session> {
    const { link } = this.#init;
    const from = clock.now();
    const given = new AbortController();
    wait.onGivenUp = (reason) => given.abort(reason);
    if (wait.over !== undefined) given.abort(wait.over.reason);
    try {
      return await link.untilReady("call", given.signal);
    } finally {
      wait.onGivenUp = undefined;
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

  async #send(pending: PendingCall, session: Session): Promise<ToolOutcome> {
    const { origin, args, options, watch } = pending;
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
      const raw = await connection.callTool(origin.toolName, args, wire);
      this.#noteSuccess(session);
      const outcome = toOutcome(raw, origin);
      if (outcome.structuredContent !== undefined) this.#reportLostDigits(outcome);
      return outcome;
    } catch (reason) {
      failure = reason;
      throw reason;
    } finally {
      watch?.end(failure, origin.serverId);
      session.leave();
      this.#gate.leave(pending);
    }
  }

  // A text beside it has the digits that the server wrote.
  #reportLostDigits({ structuredContent, content, origin }: ToolOutcome): void {
    const { serverId, toolName } = origin;
    if (this.#parts.inexact.has(toolName) || this.#parts.inexact.size >= mostInexact) return;
    const lost = findLostDigits(structuredContent);
    if (lost === undefined) return;
    const { digits } = lost;
    const saysIt = (text: string): boolean => (digits === undefined ? /\d{16}/.test(text) : text.includes(digits));
    if (content.some(({ text }) => typeof text === "string" && saysIt(text))) return;
    this.#parts.inexact.add(toolName);
    const message = `the structured content of ${quoteText(toolName)} has ${describeLostNumber(lost)}; the server should send it as a string`;
    this.#init.diagnose({ kind: "protocol-anomaly", serverId, toolName, message });
  }

  /**
   * Says whether there is a place for one more where all are taken: beyond the crowd, or that of
   * one of a caller with more who wait.
   */
  #findPlace(turn: GateEntry): boolean {
    // Nobody in particular is all that a host without contexts knows, and has no place beyond the
    // crowd.
    if (turn.fairnessKey !== undefined && this.#init.link.current() !== undefined && this.#gate.isOpen(turn))
      return true;
    const { crowd } = this.#parts;
    const displaced = findDisplaced(crowd, turn.fairnessKey);
    if (displaced === undefined) return false;
    const { call, load } = displaced;
    removeFrom(crowd, call);
    call.wait?.giveUp(displacedError(call.origin, load));
    return true;
  }

  /** Throws unless the call still leads to a tool on offer, and to the one that was selected. */
  #checkRoute(call: ToolCall): void {
    const { origin, options } = call;
    const { find, isQuarantined, link } = this.#init;
    if (link.state.kind === "removed") throw notSentError(link.state.error, call);
    const current = find(origin.toolName);
    if (current === undefined) {
      throw isQuarantined(origin.toolName) ? toolQuarantinedError(origin) : toolRemovedError(origin);
    }
    if (options.selected !== undefined) checkSelection(options.selected, current);
  }

  // Most calls have nothing to report, and the state machine is not bothered with them.
  #noteSuccess({ number }: Session): void {
    const { link } = this.#init;
    const { state } = link;
    if (state.kind !== "ready" || (state.failures === 0 && state.credentialsRefusal === undefined)) return;
    link.report({ type: "proven", session: number });
  }

  #noteFailure(error: HostsideError, { number }: Session): void {
    const { link } = this.#init;
    if (isForgotten(error)) link.report({ type: "session-lost", session: number, error });
    if (isRefusal(error)) link.report({ type: "credentials-refused", session: number, error });
  }
}

const mostInexact = 100;

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

/**
 * Says whether the call may be sent once more by itself: the server provably refused it because the
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

function remainingMs({ deadline, startedAt, budgetMs }: PendingCall): number {
  return Math.max(1, deadline?.remainingMs() ?? budgetMs - (clock.now() - startedAt));
}

function retryAfterMs({ state }: Link): number | undefined {
  return "retryAt" in state ? Math.max(0, Math.ceil(state.retryAt - clock.now())) : undefined;
}

function capacityOf({ concurrency, limits }: ServerSpec): number {
  return concurrency === "serial" ? 1 : (limits?.maxInFlightCalls ?? defaultLimits.maxInFlightCalls);
}

/** Makes the record of a call, for those who watch. Made only when there are any. */
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
