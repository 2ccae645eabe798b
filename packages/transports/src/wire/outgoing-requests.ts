import { HostsideError, type Cancel, type JsonObject, type Progress } from "@hostside/core";
import { clock, Alarm, fairnessKeyOf, onAbort, tell, withErrorContext } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { fromRpcError, mayHaveChangedRevision, saysRevisionChanged } from "../message/from-rpc-error.ts";
import {
  type OutgoingRequest,
  asHostsideError,
  errorContextOf,
  requestAbortedError,
  requestError,
  requestTimeoutError,
  revisionChangedError,
} from "../message/outgoing-request.ts";
import type { SendOptions, Transport } from "../message/transport.ts";
import { toJson } from "../text/safe-excerpt.ts";
import { createElicitationOrigin, isSomebodys, type ElicitationOrigin, type ElicitingRequest } from "./elicitor.ts";
import { readAnswer, tellCancelled, toRequestMessage, usedConnection } from "./rpc-messages.ts";

/** The parts of {@linkcode OutgoingRequests}. */
export interface OutgoingRequestsInit {
  readonly transport: Transport;
  readonly context: ServerContext;
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
  readonly id: number;
  readonly request: OutgoingRequest;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: HostsideError) => void;
  readonly startedAt: number;
  lastSignAt: number;
  /** Only where somebody counts. */
  sentBytes: number | undefined;
  /** When its time is looked at next. */
  checkAt: number;
  ignoreAbort?: Cancel;
  /** The latest progress, if it was not passed on yet. */
  lateProgress?: Progress | undefined;
  /** Takes the request back, where the transport has no cheaper way. */
  abort?: AbortController;
}

type AnswerMessage = { readonly result?: unknown; readonly error?: unknown };

const pausedCheckMs = 100;

const proofMs = 10_000;

// Ids are numbers, because some servers mishandle ids of text; and such as fit into 31 bits.
const mostFirstIds = 2 ** 29;

/** The requests that wait for an answer. */
export class OutgoingRequests {
  /** Why nothing can be sent any more. */
  closedBy: HostsideError | undefined;
  readonly #init: OutgoingRequestsInit;
  /**
   * The slot of a request is the low bits of its id. Not a `Map`: see decision 0009. At most half
   * are taken.
   */
  #slots: (Pending | undefined)[] = [undefined, undefined];
  #count = 0;
  /** The number of requests that have a deadline: all but streams that are open. */
  #timed = 0;
  /** Set for the earliest `checkAt` of all that wait, or earlier. */
  readonly #alarm: Alarm;
  /** The id of the next request. */
  nextId = 0;
  #handshakeEnd = Number.POSITIVE_INFINITY;
  #firstLaterId = 0;
  #whenDrained: (() => void) | undefined;
  /** A request after the handshake was answered with a result. */
  #hasServed = false;
  /** The callers of requests so far, until there were those of two. */
  readonly #fairnessKeys = new Set<string | undefined>();

  constructor(init: OutgoingRequestsInit) {
    this.#init = init;
    this.#alarm = new Alarm(() => this.#checkTimes());
  }

  /** The id of the one request that waits; absent when none or several do. */
  get soleId(): number | undefined {
    const [sole, other] = this.#entries().filter(({ request }) => !isStream(request));
    return other === undefined ? sole?.id : undefined;
  }

  /** True for an id that was handed out here, whether or not it still waits. */
  issued(id: number): boolean {
    return id >= 0 && id < this.nextId && (id < this.#handshakeEnd || id >= this.#firstLaterId);
  }

  /**
   * From now on ids go on from anywhere, so that a server cannot answer what it was not asked yet.
   * Before, they count from 0.
   */
  leaveHandshake(): void {
    if (this.#handshakeEnd !== Number.POSITIVE_INFINITY) return;
    this.#handshakeEnd = this.nextId;
    this.nextId += Math.floor(Math.random() * mostFirstIds);
    this.#firstLaterId = this.nextId;
  }

  /** Settles the request with what the server answered. `false`: it does not wait, or no longer. */
  answer(id: number, message: AnswerMessage, bytes?: number): boolean {
    const entry = this.#take(id, bytes);
    if (entry === undefined) return false;
    flushProgress(entry);
    try {
      this.#settle(entry, message);
    } catch (error) {
      // Whatever a hostile answer can do to its reader, the call has to end.
      entry.reject(asHostsideError(this.#init.context, error));
    }
    return true;
  }

  /** The server acknowledged a stream. */
  acknowledge(id: unknown, notifications: unknown): void {
    const entry = typeof id === "number" ? this.#find(id) : undefined;
    if (entry?.request.onAcknowledged === undefined) return;
    if (entry.checkAt < Infinity) this.#timed -= 1;
    entry.checkAt = Infinity;
    this.#restIfIdle();
    this.#checkDrained();
    entry.request.onAcknowledged(notifications);
  }

  /** The server took a stream back; without effect on other requests. */
  cancelStream(id: unknown): void {
    if (typeof id !== "number" || !isStream(this.#find(id)?.request)) return;
    this.fail(id, streamLost(this.#init.context.serverId, "was cancelled by the server"));
  }

  /** True for a request that waits for its answer. */
  isWaiting(id: number): boolean {
    return this.#find(id) !== undefined;
  }

  /**
   * A sign of life of the request that has this token, to be passed on at once, or when
   * `flushProgress` is called.
   */
  progress(token: number, isDue: boolean, read: () => Progress): void {
    const entry = this.#find(token);
    if (entry === undefined) return;
    entry.lastSignAt = clock.now();
    const { onProgress } = entry.request;
    if (onProgress === undefined) return;
    entry.lateProgress = isDue ? undefined : read();
    if (isDue) tell(onProgress, read());
  }

  /** Passes on the latest progress that was not. */
  flushProgress(): void {
    this.#entries().forEach(flushProgress);
  }

  /**
   * Finds the origin of a question of the server's: the request that it came with, or any that is
   * under way. `undefined`: that one is over.
   */
  origin(relatedId: number | undefined): ElicitationOrigin | undefined {
    const related = relatedId === undefined ? undefined : this.#find(relatedId);
    if (relatedId !== undefined && related === undefined) return undefined;
    return createElicitationOrigin(related === undefined ? this.#entries() : [related], this.#fairnessKeys.size > 1);
  }

  /**
   * Refuses later requests with `error`, as `not-sent`, and runs `whenDrained` once those that wait
   * are settled.
   */
  refuse(error: HostsideError, whenDrained: () => void): void {
    this.closedBy ??= error;
    this.#whenDrained = whenDrained;
    this.#restIfIdle();
    this.#checkDrained();
  }

  /** Rejects every request; later ones too, as `not-sent`. For when there is nobody to tell. */
  failAll(error: HostsideError): void {
    this.closedBy ??= error;
    this.#restIfIdle();
    for (const { id } of this.#entries()) this.fail(id, error);
  }

  #find(id: number): Pending | undefined {
    const entry = this.#slots[id & (this.#slots.length - 1)];
    return entry?.id === id ? entry : undefined;
  }

  /** All that wait, in the order of their ids. */
  #entries(): readonly Pending[] {
    return this.#slots.filter((entry) => entry !== undefined).sort((one, other) => one.id - other.id);
  }

  /** Takes the next id whose slot is free: one of a stream stays taken for long. */
  #takeId(): number {
    if (this.#count * 2 >= this.#slots.length) {
      const entries = this.#slots;
      this.#slots = Array.from({ length: entries.length * 2 });
      for (const entry of entries) if (entry !== undefined) this.#slots[entry.id & (this.#slots.length - 1)] = entry;
    }
    while (this.#slots[this.nextId & (this.#slots.length - 1)] !== undefined) this.nextId += 1;
    return this.nextId++;
  }

  /**
   * Sends a request; settles once, in any case by its deadline. Nothing of it is left afterwards.
   */
  start(request: OutgoingRequest): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (this.closedBy !== undefined) {
        reject(withErrorContext(this.closedBy, { ...errorContextOf(request), outcome: "not-sent" }));
        return;
      }
      if (signal?.aborted) {
        reject(requestAbortedError(this.#init.context, request, "not-sent"));
        return;
      }
      const id = this.#takeId();
      const now = clock.now();
      const firstCheckMs = Math.min(request.timeoutMs, request.idleMs ?? request.timeoutMs);
      const entry: Pending = {
        id,
        request,
        resolve,
        reject,
        startedAt: now,
        lastSignAt: now,
        sentBytes: undefined,
        checkAt: now + firstCheckMs,
      };
      this.#alarm.setBy(entry.checkAt);
      if (signal !== undefined) {
        entry.ignoreAbort = onAbort(signal, () => {
          void this.#cancel(id, {
            error: requestAbortedError(this.#init.context, request, "unknown"),
            reason: "aborted by the caller",
          });
        });
      }
      // One more than one is enough to know.
      if (this.#fairnessKeys.size < 2 && isSomebodys(request))
        this.#fairnessKeys.add(fairnessKeyOf(request.callContext));
      this.#slots[id & (this.#slots.length - 1)] = entry;
      this.#count += 1;
      if (entry.checkAt < Infinity) this.#timed += 1;
      this.#send(id, entry);
    });
  }

  #send(id: number, entry: Pending): void {
    const { headers, callContext, observer } = entry.request;
    const message = toRequestMessage(id, entry.request, this.#init.envelope());
    let options: SendOptions | undefined;
    if (this.#init.transport.hasPerRequestStream === true) {
      // A signal per request costs more than the request's other parts together, so that it is only
      // for transports that need one.
      if (this.#init.transport.takeBack === undefined) entry.abort = new AbortController();
      options = { requestSignal: entry.abort?.signal, headers, callContext };
    } else if (callContext !== undefined) options = { callContext };
    if (observer?.onExchange !== undefined) options = { ...options, onSize: (bytes) => (entry.sentBytes = bytes) };
    const onFailed = (error: unknown): void => {
      const { context } = this.#init;
      const what = "was not sent: its parameters cannot be written as JSON";
      const isJson = toJson(message) !== undefined;
      const unwritable = isJson ? undefined : requestError(context, entry.request, { what, code: "invalid_arguments" });
      this.fail(id, unwritable ?? asHostsideError(context, error));
    };
    if (this.#init.transport.post !== undefined) this.#init.transport.post(message, options, onFailed);
    else this.#init.transport.send(message, options).catch(onFailed);
  }

  #settle(entry: Pending, message: AnswerMessage): void {
    const { request } = entry;
    const answer = readAnswer(message);
    switch (answer.kind) {
      case "result":
        this.#hasServed ||= usedConnection(this.#init, request) !== undefined;
        entry.resolve(answer.result);
        return;
      case "error": {
        const { serverId, redact } = this.#init.context;
        const { method, toolName } = request;
        const connection = usedConnection(this.#init, request);
        const refusal = fromRpcError(answer.error, { serverId, method, toolName, connection, redact });
        const isDoubtful = connection !== undefined && mayHaveChangedRevision(answer.error);
        this.#rejectRefused(entry, { refusal, isDoubtful });
        return;
      }
      case "malformed": {
        const what = `was answered with something malformed: ${answer.reason}`;
        entry.reject(requestError(this.#init.context, request, { what, code: "protocol_error", outcome: "unknown" }));
      }
    }
  }

  // One alarm serves all requests, and both limits of each: when it goes off, they are asked what
  // is left, and it is set anew if anything is.
  #checkTimes(): void {
    const now = clock.now();
    for (const entry of this.#entries()) {
      const { id } = entry;
      if (this.#find(id) !== entry) continue;
      if (entry.checkAt <= now) this.#checkTime(id, entry);
      if (this.#find(id) === entry && entry.checkAt < Infinity) this.#alarm.setBy(entry.checkAt);
    }
  }

  #checkTime(id: number, entry: Pending): void {
    const { request, startedAt, lastSignAt } = entry;
    const { pauses, settings } = this.#init.context;
    const { callContext } = request;
    const now = clock.now();
    // What a server's questions take beyond their share is the call's own time.
    const pausedMs = Math.min(pauses.msSince(startedAt, callContext), settings.timeouts.elicitTotalMs);
    const totalLeft = request.timeoutMs - (now - startedAt) + pausedMs;
    const { idleMs } = request;
    const idleLeft =
      idleMs === undefined ? totalLeft : idleMs - (now - lastSignAt) + pauses.msSince(lastSignAt, callContext);
    const left = Math.min(totalLeft, idleLeft);
    if (left > 0) {
      // While the time stands still, what is left stays the same, and may be next to nothing.
      entry.checkAt = now + (pauses.isPaused(callContext) ? Math.max(left, pausedCheckMs) : left);
      return;
    }
    void this.#cancel(id, { error: requestTimeoutError(this.#init.context, request), reason: "timed out" });
  }

  // With nothing to wait for, the alarm keeps no process alive; with nothing to come, there is
  // none.
  #restIfIdle(): void {
    if (this.#timed > 0) return;
    if (this.closedBy === undefined) this.#alarm.rest();
    else this.#alarm.stop();
  }

  /**
   * Takes every request back: each rejects with `error`, later ones too. Resolves when the server
   * was told of all; never rejects.
   */
  async cancelAll(error: HostsideError, reason: string): Promise<void> {
    this.closedBy ??= error;
    this.#restIfIdle();
    const reported: Promise<void>[] = [];
    for (const { id, request } of this.#entries()) {
      reported.push(this.#cancel(id, { error: withErrorContext(error, errorContextOf(request)), reason }));
    }
    await Promise.all(reported);
  }

  // Settles the request at once; the promise is for whoever wants to know that the server was told.
  #cancel(id: number, why: { readonly error: HostsideError; readonly reason: string }): Promise<void> {
    const entry = this.#take(id);
    if (entry === undefined) return Promise.resolve();
    const { isCancellable = true, callContext } = entry.request;
    const reported = isCancellable ? tellCancelled(this.#init, id, { reason: why.reason, callContext }) : undefined;
    // A server that is not told may still answer, without an id if it could not read the request.
    if (!isCancellable) this.#init.onNotified();
    entry.abort?.abort();
    this.#init.transport.takeBack?.(id);
    entry.reject(why.error);
    return reported ?? Promise.resolve();
  }

  /** Settles the request with an error. `false`: it does not wait, or no longer. */
  fail(id: number, error: HostsideError): boolean {
    const entry = this.#take(id);
    if (entry === undefined) return false;
    const { context } = this.#init;
    const {
      code,
      details: { rpcCode },
    } = error;
    const known =
      code === "message_too_large"
        ? requestError(context, entry.request, {
            what: `failed: ${error.rawMessage}`,
            code,
            details: error.details,
            cause: error.cause,
          })
        : withErrorContext(error, { ...errorContextOf(entry.request), serverId: context.serverId });
    const connection = code === "http_error" ? usedConnection(this.#init, entry.request) : undefined;
    const isOther = connection !== undefined && saysRevisionChanged(rpcCode, connection);
    const isDoubtful =
      connection !== undefined &&
      rpcCode !== undefined &&
      mayHaveChangedRevision({ code: rpcCode, message: error.details.excerpt ?? "" });
    this.#rejectRefused(entry, {
      refusal: isOther ? revisionChangedError(known) : known,
      isDoubtful: isDoubtful && !isOther,
    });
    return true;
  }

  /**
   * Rejects with what the server refused with. A server that came back with another revision
   * refuses whatever it is sent. So a refusal that may come from that is checked by a listing:
   * refused likewise, it proves that the server changed, and the request did not run. A stream that
   * is refused says nothing of the session: a server need not have any.
   */
  #rejectRefused(
    entry: Pending,
    { refusal, isDoubtful }: { readonly refusal: HostsideError; readonly isDoubtful: boolean },
  ): void {
    if (isStream(entry.request)) return entry.reject(refusal);
    const isAboutSession = refusal.code === "session_expired" || refusal.code === "unsupported_protocol";
    if (!isDoubtful || isAboutSession || !this.#hasServed || entry.request.method === "tools/list")
      return this.#reject(entry, refusal);
    this.start({ method: "tools/list", params: {}, timeoutMs: proofMs, timeoutCode: "request_timeout" }).then(
      () => this.#reject(entry, refusal),
      (error: HostsideError) => {
        const isChanged = error.details.rpcCode === refusal.details.rpcCode || error.code === "unsupported_protocol";
        this.#reject(entry, isChanged ? revisionChangedError(refusal) : refusal);
      },
    );
  }

  #reject(entry: Pending, error: HostsideError): void {
    entry.reject(error);
    const isForgotten = error.code === "session_expired" || error.code === "unsupported_protocol";
    if (isForgotten && usedConnection(this.#init, entry.request) !== undefined) this.#init.onSessionExpired(error);
  }

  // In a later turn, so that the last request is settled by then.
  #checkDrained(): void {
    const whenDrained = this.#whenDrained;
    if (whenDrained === undefined || this.#timed > 0) return;
    this.#whenDrained = undefined;
    queueMicrotask(whenDrained);
  }

  #take(id: number, receivedBytes?: number): Pending | undefined {
    const entry = this.#find(id);
    if (entry === undefined) return undefined;
    this.#slots[id & (this.#slots.length - 1)] = undefined;
    this.#count -= 1;
    if (entry.checkAt < Infinity) this.#timed -= 1;
    this.#restIfIdle();
    if (entry.whenOver !== undefined) for (const task of entry.whenOver) task();
    entry.ignoreAbort?.();
    const { observer } = entry.request;
    if (observer !== undefined) tell(observer.onExchange, { requestId: id, sentBytes: entry.sentBytes, receivedBytes });
    if (this.#whenDrained !== undefined) this.#checkDrained();
    return entry;
  }
}

function isStream(request: OutgoingRequest | undefined): boolean {
  return request?.onAcknowledged !== undefined;
}

function flushProgress(entry: Pending): void {
  const { request, lateProgress } = entry;
  if (lateProgress === undefined) return;
  entry.lateProgress = undefined;
  tell(request.onProgress, lateProgress);
}

/** The error of a stream of changes that is over. */
export function streamLost(serverId: string, how: string): HostsideError {
  const operation = "subscriptions/listen";
  const message = `${operation} on server ${JSON.stringify(serverId)} ${how}`;
  return new HostsideError(message, { code: "connection_closed", serverId, details: { operation } });
}
