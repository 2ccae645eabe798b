import type { Cancel, JsonObject, Progress, HostsideError } from "@hostside/core";
import {
  createAlarm,
  createIdTable,
  onAbort,
  fairnessKeyOf,
  tell,
  withErrorContext,
  type Alarm,
} from "@hostside/core/implement";
import { fromRpcError } from "../message/from-rpc-error.ts";
import { mayHaveChangedRevision, saysRevisionChanged } from "../message/session-words.ts";
import type { SendOptions, Transport } from "../message/transport.ts";
import { quoteJson, toJson } from "../text/safe-excerpt.ts";
import { runHook } from "../time/run-hook.ts";
import type { ActiveClock, ActiveClocks } from "../time/active-clock.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { createElicitationOrigin, isSomebodys, type ElicitationOrigin, type ElicitingRequest } from "./elicitor.ts";
import {
  createRequestIds,
  tellCancelled,
  toRequestMessage,
  usedConnection,
  type RequestIds,
} from "./to-request-message.ts";
import { readAnswer } from "./read-answer.ts";
import {
  requestAbortedError,
  asHostsideError,
  errorContextOf,
  malformedAnswerError,
  revisionChangedError,
  requestTimeoutError,
  tooLargeAnswerError,
  unserializableError,
} from "../message/request-errors.ts";
import type { ServerContext } from "../context/server-context.ts";

/** The requests that wait for an answer. */
export interface OutgoingRequests {
  /** Why nothing can be sent any more. */
  readonly closedBy: HostsideError | undefined;
  /** The id of the one request that waits; absent when none or several do. */
  readonly soleId: number | undefined;
  /** The id of the next request. */
  readonly nextId: number;
  /** True for an id that was handed out here, whether or not it still waits. */
  issued(id: number): boolean;
  /**
   * From now on ids go on from anywhere, so that a server cannot answer what it was not asked yet.
   * Before, they count from 0.
   */
  leaveHandshake(): void;
  /**
   * Sends a request; settles once, in any case by its deadline. Nothing of it is left afterwards.
   */
  start(request: OutgoingRequest): Promise<JsonObject>;
  /** Settles the request with what the server answered. `false`: it does not wait, or no longer. */
  answer(id: number, message: { readonly result?: unknown; readonly error?: unknown }, bytes?: number): boolean;
  /** Settles the request with an error. `false`: it does not wait, or no longer. */
  fail(id: number, error: HostsideError): boolean;
  /** An answer came under an id that no request has. The timeouts of those that wait say so. */
  noteStray(id: unknown): void;
  /** True for a request that waits for its answer. */
  isWaiting(id: number): boolean;
  /**
   * A sign of life of the request that has this token, to be passed on at once, or when
   * `flushProgress` is called.
   */
  progress(token: number, isDue: boolean, read: () => Progress): void;
  /** Passes on the latest progress that was not. */
  flushProgress(): void;
  /**
   * What a question of the server's belongs to: the request that it came with, or any that is under
   * way. `undefined`: that one is over.
   */
  origin(relatedId: number | undefined): ElicitationOrigin | undefined;
  /**
   * Refuses later requests with `error`, as `not-sent`, and runs `whenDrained` once those that wait
   * are settled.
   */
  refuse(error: HostsideError, whenDrained: () => void): void;
  /**
   * Takes every request back: each rejects with `error`, later ones too. Resolves when the server
   * was told of all; never rejects.
   */
  cancelAll(error: HostsideError, reason: string): Promise<void>;
  /** Rejects every request; later ones too, as `not-sent`. For when there is nobody to tell. */
  failAll(error: HostsideError): void;
}

/** What {@linkcode OutgoingRequests} are made from. */
export interface OutgoingRequestsInit {
  readonly transport: Transport;
  readonly context: ServerContext;
  readonly activeClock: ActiveClocks;
  /** The `_meta` of every request of a modern connection; absent before and on a legacy one. */
  readonly envelope: () => JsonObject | undefined;
  /**
   * The server says that it does not know the session any more, or not this revision. Called per
   * refused request.
   */
  readonly onSessionExpired: (error: HostsideError) => void;
  /**
   * The server may answer something that nobody waits for: a notification that is about to be sent,
   * or a request that was given up.
   */
  readonly onNotified: () => void;
}

interface Pending extends ElicitingRequest {
  readonly request: OutgoingRequest;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: HostsideError) => void;
  /** What its deadline goes by. */
  readonly time: ActiveClock;
  readonly startedAt: number;
  /** How long the clock had stood still by then. */
  readonly pausedBefore: number;
  lastSignAt: number;
  /** Only where somebody counts. */
  sentBytes: number | undefined;
  /** When its time is looked at next, by the clock that never stands still. */
  checkAt: number;
  ignoreAbort?: Cancel;
  /** The id of an answer that came meanwhile and belongs to no request. */
  strayId?: unknown;
  /** The latest progress, if it was not passed on yet. */
  lateProgress?: Progress | undefined;
  /** Takes the request back, where the transport has no cheaper way. */
  abort?: AbortController;
}

interface State extends OutgoingRequestsInit {
  readonly pending: ReturnType<typeof createIdTable<Pending>>;
  /** Set for the earliest `checkAt` of all that wait, or earlier. */
  readonly alarm: Alarm;
  readonly ids: RequestIds;
  closedBy: HostsideError | undefined;
  whenDrained: (() => void) | undefined;
  /** A request after the handshake was answered with a result. */
  hasServed: boolean;
  /** Whose requests there were so far, until there were those of two. */
  readonly fairnessKeys: Set<string | undefined>;
}

const pausedCheckMs = 100;

/** Makes an empty set of requests. */
export function createOutgoingRequests(init: OutgoingRequestsInit): OutgoingRequests {
  const state: State = {
    ...init,
    pending: createIdTable(),
    alarm: createAlarm(init.context.clock, () => checkTimes(state)),
    ids: createRequestIds(init.context.random),
    closedBy: undefined,
    whenDrained: undefined,
    hasServed: false,
    fairnessKeys: new Set(),
  };
  return {
    issued: (id) => state.ids.issued(id),
    leaveHandshake: () => state.ids.leaveHandshake(),
    start: (request) => start(state, request),
    answer(id, message, bytes) {
      const entry = take(state, id, bytes);
      if (entry === undefined) return false;
      flushProgress(entry);
      try {
        settle(state, entry, message);
      } catch (error) {
        // Whatever a hostile answer can do to its reader, the call has to end.
        entry.reject(asHostsideError(state.context, error));
      }
      return true;
    },
    fail: (id, error) => fail(state, id, error),
    noteStray(strayId) {
      for (const entry of entriesOf(state)) entry.strayId = strayId;
    },
    isWaiting: (id) => state.pending.get(id) !== undefined,
    progress(token, isDue, read) {
      const entry = state.pending.get(token);
      if (entry === undefined) return;
      entry.lastSignAt = entry.time.now();
      const { onProgress } = entry.request;
      if (onProgress === undefined) return;
      entry.lateProgress = isDue ? undefined : read();
      if (isDue) runHook(onProgress, read());
    },
    flushProgress: () => entriesOf(state).forEach(flushProgress),
    origin(relatedId) {
      const ids = relatedId === undefined ? state.pending.ids() : [relatedId];
      const requests = ids.map((id) => state.pending.get(id)).filter((entry) => entry !== undefined);
      if (relatedId !== undefined && requests.length === 0) return undefined;
      return createElicitationOrigin(requests, state.fairnessKeys.size > 1);
    },
    refuse(error, whenDrained) {
      state.closedBy ??= error;
      state.whenDrained = whenDrained;
      restIfIdle(state);
      checkDrained(state);
    },
    cancelAll: (error, reason) => cancelAll(state, error, reason),
    failAll(error) {
      state.closedBy ??= error;
      restIfIdle(state);
      for (const id of state.pending.ids()) fail(state, id, error);
    },
    get closedBy() {
      return state.closedBy;
    },
    get soleId() {
      return state.pending.size === 1 ? state.pending.ids()[0] : undefined;
    },
    get nextId() {
      return state.ids.next;
    },
  };
}

function entriesOf({ pending }: State): readonly Pending[] {
  return pending.ids().flatMap((id) => pending.get(id) ?? []);
}

function flushProgress(entry: Pending): void {
  const { request, lateProgress } = entry;
  if (lateProgress === undefined) return;
  entry.lateProgress = undefined;
  if (request.onProgress !== undefined) runHook(request.onProgress, lateProgress);
}

function start(state: State, request: OutgoingRequest): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (state.closedBy !== undefined) {
      reject(withErrorContext(state.closedBy, { ...errorContextOf(request), outcome: "not-sent" }));
      return;
    }
    if (signal?.aborted) {
      reject(requestAbortedError(state.context, request, "not-sent"));
      return;
    }
    const id = state.ids.next++;
    const time = state.activeClock.of(request.callContext);
    const now = time.now();
    const pausedBefore = time.pausedMs();
    const firstCheckMs = Math.min(request.timeoutMs, request.idleMs ?? request.timeoutMs);
    const entry: Pending = {
      request,
      resolve,
      reject,
      time,
      startedAt: now,
      pausedBefore,
      lastSignAt: now,
      sentBytes: undefined,
      // The two are the time of the clock that never stands still, which need not be read for it.
      checkAt: now + pausedBefore + firstCheckMs,
    };
    state.alarm.setBy(entry.checkAt);
    if (signal !== undefined) {
      entry.ignoreAbort = onAbort(signal, () => {
        void cancel(state, id, {
          error: requestAbortedError(state.context, request, "unknown"),
          reason: "aborted by the caller",
        });
      });
    }
    time.enter();
    // One more than one is enough to know.
    if (state.fairnessKeys.size < 2 && isSomebodys(request)) state.fairnessKeys.add(fairnessKeyOf(request.callContext));
    state.pending.put(id, entry);
    send(state, id, entry);
  });
}

function send(state: State, id: number, entry: Pending): void {
  const { headers, callContext, observer } = entry.request;
  const message = toRequestMessage(id, entry.request, state.envelope());
  let options: SendOptions | undefined;
  if (state.transport.hasPerRequestStream === true) {
    // A signal per request costs more than the request's other parts together, so that it is only
    // for transports that need one.
    if (state.transport.takeBack === undefined) entry.abort = new AbortController();
    options = { requestSignal: entry.abort?.signal, headers, callContext };
  } else if (callContext !== undefined) options = { callContext };
  if (observer?.onExchange !== undefined) options = { ...options, onSize: (bytes) => (entry.sentBytes = bytes) };
  const onFailed = (error: unknown): void => {
    const isUnserializable = toJson(message) === undefined;
    fail(
      state,
      id,
      isUnserializable ? unserializableError(state.context, entry.request) : asHostsideError(state.context, error),
    );
  };
  if (state.transport.post !== undefined) state.transport.post(message, options, onFailed);
  else state.transport.send(message, options).catch(onFailed);
}

function settle(state: State, entry: Pending, message: { readonly result?: unknown; readonly error?: unknown }): void {
  const { request } = entry;
  const answer = readAnswer(message);
  switch (answer.kind) {
    case "result":
      state.hasServed ||= usedConnection(state, request) !== undefined;
      entry.resolve(answer.result);
      return;
    case "error": {
      const { serverId, redact } = state.context;
      const { method, toolName } = request;
      const connection = usedConnection(state, request);
      const refusal = fromRpcError(answer.error, { serverId, method, toolName, connection, redact });
      const isDoubtful = connection !== undefined && mayHaveChangedRevision(answer.error);
      rejectRefused(state, entry, { refusal, isDoubtful });
      return;
    }
    case "malformed":
      entry.reject(malformedAnswerError(state.context, request, answer.reason));
  }
}

// One alarm serves all requests, and both limits of each: when it goes off, they are asked what is
// left, and it is set anew if anything is.
function checkTimes(state: State): void {
  const now = state.context.clock.now();
  for (const id of state.pending.ids()) {
    const entry = state.pending.get(id);
    if (entry === undefined) continue;
    if (entry.checkAt <= now) checkTime(state, id, entry);
    if (state.pending.get(id) === entry) state.alarm.setBy(entry.checkAt);
  }
}

function checkTime(state: State, id: number, entry: Pending): void {
  const { request, time, startedAt, pausedBefore, lastSignAt } = entry;
  const now = time.now();
  // What a server's questions take beyond their share is the call's own time.
  const overdrawnMs = Math.max(0, time.pausedMs() - pausedBefore - state.context.settings.timeouts.elicitTotalMs);
  const totalLeft = request.timeoutMs - (now - startedAt) - overdrawnMs;
  const idleLeft = request.idleMs === undefined ? totalLeft : request.idleMs - (now - lastSignAt);
  const left = Math.min(totalLeft, idleLeft);
  if (left > 0) {
    // While the time stands still, what is left stays the same, and may be next to nothing.
    const waitMs = time.isPaused ? Math.max(left, pausedCheckMs) : left;
    entry.checkAt = state.context.clock.now() + waitMs;
    return;
  }
  const stray =
    "strayId" in entry
      ? `an answer came under the id ${quoteJson(entry.strayId, state.context.redact)}, which is not that of the request (${id})`
      : undefined;
  const error = requestTimeoutError(state.context, request, stray);
  void cancel(state, id, { error, reason: "timed out" });
}

// With nothing to wait for, the alarm keeps no process alive; with nothing to come, there is none.
function restIfIdle({ pending, alarm, closedBy }: State): void {
  if (pending.size > 0) return;
  if (closedBy === undefined) alarm.rest();
  else alarm.stop();
}

async function cancelAll(state: State, error: HostsideError, reason: string): Promise<void> {
  state.closedBy ??= error;
  restIfIdle(state);
  const reported: Promise<void>[] = [];
  for (const id of state.pending.ids()) {
    const request = state.pending.get(id)?.request;
    if (request === undefined) continue;
    reported.push(cancel(state, id, { error: withErrorContext(error, errorContextOf(request)), reason }));
  }
  await Promise.all(reported);
}

// Settles the request at once; the promise is for whoever wants to know that the server was told.
function cancel(
  state: State,
  id: number,
  why: { readonly error: HostsideError; readonly reason: string },
): Promise<void> {
  const entry = take(state, id);
  if (entry === undefined) return Promise.resolve();
  const reported = tellCancelled(state, id, { request: entry.request, reason: why.reason });
  entry.abort?.abort();
  state.transport.takeBack?.(id);
  entry.reject(why.error);
  return reported;
}

function fail(state: State, id: number, error: HostsideError): boolean {
  const entry = take(state, id);
  if (entry === undefined) return false;
  const known =
    error.code === "message_too_large"
      ? tooLargeAnswerError(state.context, entry.request, error)
      : withErrorContext(error, { ...errorContextOf(entry.request), serverId: state.context.serverId });
  const connection = error.code === "http_error" ? usedConnection(state, entry.request) : undefined;
  const isOther = connection !== undefined && saysRevisionChanged(error.details.rpcCode, connection);
  const { rpcCode } = error.details;
  const isDoubtful =
    connection !== undefined &&
    rpcCode !== undefined &&
    mayHaveChangedRevision({ code: rpcCode, message: error.details.excerpt ?? "" });
  rejectRefused(state, entry, {
    refusal: isOther ? revisionChangedError(known) : known,
    isDoubtful: isDoubtful && !isOther,
  });
  return true;
}

const proofMs = 10_000;

/**
 * Rejects with what the server refused with. A server that came back with another revision refuses
 * whatever it is sent. So a refusal that may come from that is checked by a listing: refused
 * likewise, it proves that the server changed, and the request did not run.
 */
function rejectRefused(
  state: State,
  entry: Pending,
  { refusal, isDoubtful }: { readonly refusal: HostsideError; readonly isDoubtful: boolean },
): void {
  const isAboutSession = refusal.code === "session_expired" || refusal.code === "unsupported_protocol";
  if (!isDoubtful || isAboutSession || !state.hasServed || entry.request.method === "tools/list")
    return reject(state, entry, refusal);
  start(state, { method: "tools/list", params: {}, timeoutMs: proofMs, timeoutCode: "request_timeout" }).then(
    () => reject(state, entry, refusal),
    (error: HostsideError) => {
      const isChanged = error.details.rpcCode === refusal.details.rpcCode || error.code === "unsupported_protocol";
      reject(state, entry, isChanged ? revisionChangedError(refusal) : refusal);
    },
  );
}

function reject(state: State, entry: Pending, error: HostsideError): void {
  entry.reject(error);
  const isForgotten = error.code === "session_expired" || error.code === "unsupported_protocol";
  if (isForgotten && usedConnection(state, entry.request) !== undefined) state.onSessionExpired(error);
}

// In a later turn, so that the last request is settled by then.
function checkDrained(state: State): void {
  const { whenDrained, pending } = state;
  if (whenDrained === undefined || pending.size > 0) return;
  state.whenDrained = undefined;
  queueMicrotask(whenDrained);
}

function take(state: State, id: number, receivedBytes?: number): Pending | undefined {
  const entry = state.pending.take(id);
  if (entry === undefined) return undefined;
  restIfIdle(state);
  entry.time.leave();
  if (entry.whenOver !== undefined) for (const task of entry.whenOver) task();
  entry.ignoreAbort?.();
  const { observer } = entry.request;
  if (observer !== undefined) tell(observer.onExchange, { requestId: id, sentBytes: entry.sentBytes, receivedBytes });
  if (state.whenDrained !== undefined) checkDrained(state);
  return entry;
}
