import { cleanText, HostsideError, type JsonObject, type Progress, type ServerLog } from "@hostside/core";
import { isJsonObject, settleWithin, withErrorContext } from "@hostside/core/implement";
import type { MetaSource, OutgoingRequest } from "../message/outgoing-request.ts";
import { isModernVersion, modernEnvelope, type ClientIdentity } from "../message/revisions.ts";
import type { ListeningClient } from "../message/listening-client.ts";
import type { Elicitor } from "./elicitor.ts";
import type { Transport } from "../message/transport.ts";
import type { RequestChannel } from "../message/request-channel.ts";
import { quoteJson, safeExcerpt, toJson } from "../text/safe-excerpt.ts";
import type { ActiveClocks } from "../time/active-clock.ts";
import { createOutgoingRequests, type OutgoingRequests } from "./outgoing-requests.ts";
import { type ChangeEvents, NotificationGate, ChangeReporter } from "./report-changes.ts";
import { asHostsideError } from "../message/request-errors.ts";
import { ServerRequests } from "./server-requests.ts";
import { ListenStreams } from "./subscriptions-listen.ts";
import { toOwnId } from "./to-request-message.ts";
import { isMessage } from "../message/admission.ts";
import type { ServerContext } from "../context/server-context.ts";

/**
 * JSON-RPC with one server, over any transport. Whatever comes in is read by hand and bounded: a
 * malformed answer fails its own request at once, and what fits no request that was sent is
 * dropped. Knows nothing of how a connection begins; see `shake-hands.ts`.
 */
export interface Wire extends RequestChannel, ListeningClient {
  /** True when each request is an exchange of its own, as over HTTP. */
  readonly hasPerRequestStream: boolean;
  /** True when what is sent later cannot arrive earlier. */
  readonly isOrdered: boolean;
  /** Starts the transport. To be called first, and once. */
  start(): Promise<void>;
  /** From now on every message is one of this revision. */
  setProtocolVersion(version: string): void;
  /**
   * The server is not who it was taken for: refuses later requests with `error`, and ends when
   * those under way are settled.
   */
  leave(error: HostsideError): void;
}

/** How a wire reports upwards. None is called after {@linkcode Wire.close}. */
export interface WireEvents {
  readonly changes: ChangeEvents;
  readonly onLog: (log: ServerLog) => void;
  /**
   * The server forgot the session, or speaks another revision now; requests may still be under way.
   * Called at most once.
   */
  readonly onForgotten?: ((error: HostsideError) => void) | undefined;
  /** The session ended by itself; every request was rejected. Called at most once. */
  readonly onDown: (error: HostsideError) => void;
}

/** What a {@linkcode Wire} is made from. */
export interface WireInit {
  readonly transport: Transport;
  readonly identity: ClientIdentity;
  readonly context: ServerContext;
  readonly events: WireEvents;
  /** Stands still while a human answers. */
  readonly activeClock: ActiveClocks;
  /** Answers the server's questions; absent when nobody does. */
  readonly elicitor: Elicitor | undefined;
  /** What goes along in `_meta` of the request for a stream of changes. */
  readonly opening?: MetaSource | undefined;
}

interface State extends WireInit {
  readonly outgoing: OutgoingRequests;
  readonly served: ServerRequests;
  readonly subscriptions: ListenStreams;
  readonly changes: ChangeReporter;
  /** For progress alone, which nothing else may crowd out. */
  readonly progressGate: NotificationGate;
  /** The `_meta` of a modern connection; absent before there is a revision, and of a legacy one. */
  envelope: JsonObject | undefined;
  /**
   * Notifications that the server may still answer, though it must not, and the id that the first
   * request after them has.
   */
  notified: { readonly count: number; readonly nextId: number };
  /** Why the session is no good any more, though requests may still be under way. */
  expiredBy: HostsideError | undefined;
  /** The handshake is over: the revision is known. */
  isReady: boolean;
  isClosed: boolean;
}

// For the server to be told that its requests are cancelled, before the connection to it is cut.
const farewellMs = 100;

/** Puts a wire on a transport that is not started yet. */
export function createWire(init: WireInit): Wire {
  const state = createState(init);
  const { transport, context, events } = init;
  transport.onmessage = (message: unknown, relatedId, bytes) => receive(state, message, { relatedId, bytes });
  transport.onrequestfailed = (id, error) => {
    const ownId = toOwnId(id);
    if (typeof ownId !== "number" || !state.outgoing.fail(ownId, error)) state.subscriptions.fail(ownId, error);
  };
  transport.oninterrupted = () => {
    if (!state.isClosed) events.changes.onMissed();
  };
  transport.onerror = (error) => reportAnomaly(context, error);
  transport.onclose = () => down(state);
  return new WireOverTransport(state);
}

function createState(init: WireInit): State {
  const { transport, identity, context, events, activeClock, elicitor, opening } = init;
  const envelope = (): JsonObject | undefined => state.envelope;
  const state: State = {
    transport,
    identity,
    context,
    events,
    activeClock,
    elicitor,
    opening,
    outgoing: createOutgoingRequests({
      transport,
      context,
      activeClock,
      envelope,
      onSessionExpired: (error) => expire(state, error),
      onNotified: () => expectStrayError(state),
    }),
    served: new ServerRequests({ transport, context, elicitor }),
    subscriptions: new ListenStreams({ transport, context, opening, envelope }),
    changes: new ChangeReporter(context, events.changes),
    progressGate: new NotificationGate({
      fate: "of its progress only the latest is passed on",
      context,
      onDeferred: () => state.outgoing.flushProgress(),
    }),
    envelope: undefined,
    isReady: false,
    notified: noNotifications,
    expiredBy: undefined,
    isClosed: false,
  };
  return state;
}

// A class, because each connection has one.
class WireOverTransport implements Wire {
  readonly hasPerRequestStream: boolean;
  readonly isOrdered: boolean;
  readonly activeClock: ActiveClocks;
  readonly #state: State;

  constructor(state: State) {
    const { transport, activeClock } = state;
    this.hasPerRequestStream = transport.hasPerRequestStream === true;
    this.isOrdered = transport.isOrdered === true;
    this.activeClock = activeClock;
    this.#state = state;
  }

  get sessionId(): string | undefined {
    return this.#state.transport.sessionId;
  }

  get isOpen(): boolean {
    return !this.#state.isClosed && this.#state.outgoing.closedBy === undefined;
  }

  start(): Promise<void> {
    return this.#state.transport.start();
  }

  setProtocolVersion(version: string): void {
    const state = this.#state;
    state.transport.setProtocolVersion?.(version);
    state.isReady = true;
    state.outgoing.leaveHandshake();
    state.envelope = isModernVersion(version) ? modernEnvelope(version, state.identity) : undefined;
  }

  leave(error: HostsideError): void {
    expire(this.#state, error);
  }

  listen(...listening: Parameters<Wire["listen"]>): ReturnType<Wire["listen"]> {
    return this.#state.subscriptions.listen(...listening);
  }

  request(request: OutgoingRequest): Promise<JsonObject> {
    return this.#state.outgoing.start(request);
  }

  notify(method: string, params: JsonObject | undefined): Promise<void> {
    return notify(this.#state, method, params);
  }

  async close(error: HostsideError, reason: string): Promise<void> {
    const state = this.#state;
    state.isClosed = true;
    state.changes.close();
    state.progressGate.close();
    state.served.close();
    state.subscriptions.failAll(error);
    const cancelled = state.outgoing.cancelAll(error, cleanText(reason, 200).replaceAll(/\s+/g, " "));
    await settleWithin(cancelled, farewellMs, state.context.clock);
    await state.transport.close();
  }
}

/** How a message came. */
interface Arrival {
  readonly relatedId?: unknown;
  readonly bytes?: number | undefined;
}

function receive(state: State, message: unknown, arrival: Arrival): void {
  if (!isJsonObject(message)) {
    // JSON-RPC batches exist in 2025-03-26 alone, and only there may a server send one.
    if (Array.isArray(message)) for (const each of message) receiveOne(state, each, {});
    else anomalies(state, "sent something that is no JSON-RPC message");
    return;
  }
  receiveOne(state, message, arrival);
}

function receiveOne(state: State, message: unknown, { relatedId, bytes }: Arrival): void {
  if (!isJsonObject(message)) return anomalies(state, "sent something that is no JSON-RPC message");
  const { id, method } = message;
  if (typeof method === "string") {
    if (id === undefined || id === null) receiveNotification(state, method, message);
    else receiveRequest(state, { id, method, params: message["params"], relatedId });
    return;
  }
  if (typeof id === "number" && state.outgoing.answer(id, message, bytes)) {
    if (id >= state.notified.nextId) state.notified = noNotifications;
    return;
  }
  receiveOtherAnswer(state, { id, message, bytes });
}

// 2026-07-28 has no requests from server to client. Over HTTP an answer to one would be an error of
// its own. Over pipes a server may ping all the same, and kill the connection that does not answer.
function receiveRequest(
  state: State,
  { relatedId, ...request }: { id: unknown; method: string; params: unknown; relatedId: unknown },
): void {
  if (state.isClosed) return;
  const isModern = state.envelope !== undefined;
  if (isModern && state.transport.hasPerRequestStream === true) return;
  const ownId = toOwnId(relatedId);
  state.served.receive({
    ...request,
    method: isModern && request.method !== "ping" ? "" : request.method,
    isReady: state.isReady,
    origin: () => state.outgoing.origin(typeof ownId === "number" ? ownId : undefined),
  });
}

// Rare, and so after the others: ends of subscriptions, ids that came back as text or not at all,
// and answers that nobody waits for.
function receiveOtherAnswer(
  state: State,
  { id, message, bytes }: { readonly id: unknown; readonly message: JsonObject; readonly bytes: number | undefined },
): void {
  if (id === null || id === undefined) {
    // A server that could not even read the request answers its error with `id: null`. With one
    // under way, that is the one.
    const { soleId } = state.outgoing;
    const { error } = message;
    if (soleId !== undefined && isJsonObject(error) && !isStrayError(state, error)) {
      state.outgoing.answer(soleId, message, bytes);
      return;
    }
  }
  const asNumber = toOwnId(id);
  if (typeof asNumber === "number") {
    if (state.outgoing.answer(asNumber, message, bytes) || state.subscriptions.answer(asNumber, message)) return;
    // A late answer to a request that was given up, or a second one: the first word counts.
    if (state.outgoing.issued(asNumber) || state.subscriptions.issued(asNumber)) {
      state.outgoing.noteStray(id);
      return;
    }
  }
  if (!isMessage(message))
    return anomalies(state, `sent something that is no JSON-RPC message: ${quoteJson(message, state.context.redact)}`);
  if ("result" in message || "error" in message) state.outgoing.noteStray(id);
  anomalies(state, `answered a request that was never sent (id ${quoteJson(id, state.context.redact)})`);
}

const noNotifications = { count: 0, nextId: Number.POSITIVE_INFINITY };
// "Invalid Request" and "Method not found" (JSON-RPC 2.0, section 5.1).
const strayCodes: ReadonlySet<unknown> = new Set([-32_600, -32_601]);

function expectStrayError(state: State): void {
  state.notified = { count: state.notified.count + 1, nextId: state.outgoing.nextId };
}

// Some servers answer a notification that they do not know, and have no id for it. To take that for
// the answer to a request would tell of a call that runs that it failed.
function isStrayError(state: State, { code }: JsonObject): boolean {
  const { count, nextId } = state.notified;
  if (count === 0 || !strayCodes.has(code)) return false;
  state.notified = { count: count - 1, nextId };
  return true;
}

function receiveNotification(state: State, method: string, message: JsonObject): void {
  const params = isJsonObject(message["params"]) ? message["params"] : undefined;
  // These settle something that is waited for, so that no flood may swallow them.
  if (method === "notifications/cancelled") {
    state.served.cancel(params?.["requestId"]);
    state.subscriptions.cancel(toOwnId(params?.["requestId"]));
    return;
  }
  if (method === "notifications/subscriptions/acknowledged") return state.subscriptions.acknowledge(params);
  if (method === "notifications/progress" && receiveProgress(state, params)) return;
  // Those that nobody knows are to be ignored (JSON-RPC 2.0, section 4.1), and count all the same.
  const isTaken = state.changes.receive(method, params);
  if (isTaken && method === "notifications/message")
    state.events.onLog(readServerLog(message["params"], state.context.redact));
}

// What a call waits for is no noise: each report counts as a sign of life, and the latest one
// reaches the caller. `false`: nobody's.
function receiveProgress(state: State, params: JsonObject | undefined): boolean {
  if (params === undefined) return false;
  const { outgoing, progressGate, context } = state;
  const { progressToken, progress, total, message } = params;
  const id = toOwnId(progressToken);
  if (typeof progress !== "number" || typeof id !== "number" || !outgoing.isWaiting(id)) return false;
  const isDue = progressGate.admit();
  const read = (): Progress => ({
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message: safeExcerpt(message, context.redact, 1000) }),
  });
  outgoing.progress(id, isDue, read);
  if (!isDue) progressGate.defer();
  return true;
}

async function notify(state: State, method: string, params: JsonObject | undefined): Promise<void> {
  const { envelope, outgoing, context } = state;
  if (outgoing.closedBy !== undefined) throw withErrorContext(outgoing.closedBy, { outcome: "not-sent" });
  const meta = envelope && {
    _meta: { ...envelope, ...(isJsonObject(params?.["_meta"]) ? params["_meta"] : undefined) },
  };
  const body = params === undefined && meta === undefined ? undefined : { ...params, ...meta };
  expectStrayError(state);
  try {
    await state.transport.send({ jsonrpc: "2.0", method, ...(body && { params: body }) });
  } catch (error) {
    throw asHostsideError(context, error);
  }
}

// Each request on the dead session is refused by itself, so that those under way are left to their
// own end.
function expire(state: State, error: HostsideError): void {
  if (state.expiredBy !== undefined || state.isClosed) return;
  state.expiredBy = error;
  state.events.onForgotten?.(error);
  state.outgoing.refuse(error, () => void state.transport.close());
}

function down(state: State): void {
  const { transport, context, events } = state;
  const { serverId } = context;
  const wasClosed = state.isClosed;
  state.isClosed = true;
  state.changes.close();
  state.progressGate.close();
  const error =
    state.expiredBy ??
    transport.closeReason ??
    new HostsideError(`the connection to server ${JSON.stringify(serverId)} closed`, {
      code: "connection_closed",
      serverId,
    });
  state.served.close();
  state.outgoing.failAll(error);
  state.subscriptions.failAll(error);
  if (!wasClosed) events.onDown(error);
}

function anomalies(state: State, what: string): void {
  const { serverId, onDiagnostic } = state.context;
  if (!state.changes.gate.admit()) return;
  onDiagnostic({ kind: "protocol-anomaly", serverId, message: `server ${JSON.stringify(serverId)} ${what}` });
}

// What the transport went on after, and so does everybody.
function reportAnomaly({ serverId, redact, onDiagnostic }: ServerContext, error: Error): void {
  onDiagnostic({ kind: "protocol-anomaly", serverId, message: safeExcerpt(error.message, redact, 300) });
}

// RFC 5424; what a server calls a level and is none of these counts as "info".
const levels = new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);
const longestLine = 4096;

/**
 * The log line in the parameters of a `notifications/message`: cleaned, bounded, without this
 * server's secrets.
 */
function readServerLog(params: unknown, redact: (text: string) => string): ServerLog {
  const { level, logger, data } = isJsonObject(params) ? params : {};
  const body = typeof data === "string" ? data : (toJson(data) ?? "");
  const text = typeof logger === "string" && logger !== "" ? `${logger}: ${body}` : body;
  return {
    source: "notification",
    level: typeof level === "string" && levels.has(level) ? level : "info",
    text: safeExcerpt(text, redact, longestLine),
  };
}
