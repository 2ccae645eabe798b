import { cleanText, HostsideError, type JsonObject, type ServerLog } from "@hostside/core";
import { isJsonObject, settleWithin, withErrorContext } from "@hostside/core/implement";
import { type OutgoingRequest, type RequestChannel, asHostsideError } from "../message/outgoing-request.ts";
import { isModernVersion, modernEnvelope, type ClientIdentity } from "../message/revisions.ts";
import type { SafeHooks } from "../context/safe-hooks.ts";
import type { Elicitor } from "./elicitor.ts";
import type { Transport } from "../message/transport.ts";
import { quoteJson, safeExcerpt, toJson } from "../text/safe-excerpt.ts";
import { OutgoingRequests } from "./outgoing-requests.ts";
import { ChangeReporter, NotificationGate } from "./report-changes.ts";
import { ServerRequests } from "./server-requests.ts";
import { toOwnId } from "./rpc-messages.ts";
import { isMessage } from "../message/bound-message.ts";
import type { ServerContext } from "../context/server-context.ts";

/** How a wire reports upwards. None is called after {@linkcode Wire.close}. */
export interface WireEvents {
  /** Hear of what changed. */
  readonly hooks: SafeHooks;
  /**
   * The server forgot the session, or speaks another revision now; requests may still be under way.
   * Called at most once.
   */
  readonly onForgotten?: ((error: HostsideError) => void) | undefined;
  /** The session ended by itself; every request was rejected. Called at most once. */
  readonly onDown: (error: HostsideError) => void;
}

/** The parts of {@linkcode Wire}. */
export interface WireInit {
  readonly transport: Transport;
  readonly identity: ClientIdentity;
  readonly context: ServerContext;
  readonly events: WireEvents;
  /** Answers the server's questions; absent when nobody does. */
  readonly elicitor: Elicitor | undefined;
}

// For the server to be told that its requests are cancelled, before the connection to it is cut.
const farewellMs = 100;

const noNotifications = { count: 0, nextId: Number.POSITIVE_INFINITY };
// "Invalid Request" and "Method not found" (JSON-RPC 2.0, section 5.1).
const strayCodes: ReadonlySet<unknown> = new Set([-32_600, -32_601]);

/**
 * JSON-RPC with one server, over any transport. Whatever comes in is read by hand and bounded: a
 * malformed answer fails its own request at once, and what fits no request that was sent is
 * dropped. Knows nothing of how a connection begins; see `shake-hands.ts`.
 */
export class Wire implements RequestChannel {
  /** True when each request is an exchange of its own, as over HTTP. */
  readonly hasPerRequestStream: boolean;
  /** True when what is sent later cannot arrive earlier. */
  readonly isOrdered: boolean;
  readonly changes: ChangeReporter;
  readonly #init: WireInit;
  readonly #outgoing: OutgoingRequests;
  readonly #served: ServerRequests;
  /** For progress alone, which nothing else may crowd out. */
  readonly #progressGate: NotificationGate;
  /** The `_meta` of a modern connection; absent before there is a revision, and of a legacy one. */
  #envelope: JsonObject | undefined;
  /**
   * Notifications that the server may still answer, though it must not, and the id that the first
   * request after them has.
   */
  #notified: { readonly count: number; readonly nextId: number } = noNotifications;
  /** Why the session is no good any more, though requests may still be under way. */
  #expiredBy: HostsideError | undefined;
  /** The handshake is over: the revision is known. */
  #isReady = false;
  #isClosed = false;

  /** Takes a transport that is not started yet. */
  constructor(init: WireInit) {
    const { transport, context, events, elicitor } = init;
    const envelope = (): JsonObject | undefined => this.#envelope;
    this.#init = init;
    this.hasPerRequestStream = transport.hasPerRequestStream === true;
    this.isOrdered = transport.isOrdered === true;
    this.#outgoing = new OutgoingRequests({
      transport,
      context,
      envelope,
      onSessionExpired: (error) => this.leave(error),
      onNotified: () => this.#expectStrayError(),
    });
    this.#served = new ServerRequests({ transport, context, elicitor });
    this.changes = new ChangeReporter(context, events.hooks);
    this.#progressGate = new NotificationGate({
      fate: "of its progress only the latest is passed on",
      context,
      onDeferred: () => this.#outgoing.flushProgress(),
    });
    transport.onmessage = (message, relatedId, bytes) => this.#receive(message, relatedId, bytes);
    transport.onrequestfailed = (id, error) => {
      const ownId = toOwnId(id);
      if (typeof ownId === "number") this.#outgoing.fail(ownId, error);
    };
    transport.oninterrupted = () => {
      if (!this.#isClosed) this.changes.reportMissed();
    };
    transport.onerror = ({ message }) => this.#report(safeExcerpt(message, context.redact, 300));
    transport.onclose = () => this.#down();
  }

  get sessionId(): string | undefined {
    return this.#init.transport.sessionId;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#outgoing.closedBy === undefined;
  }

  /** Starts the transport. To be called first, and once. */
  start(): Promise<void> {
    return this.#init.transport.start();
  }

  /** From now on every message is one of this revision. */
  setProtocolVersion(version: string): void {
    const { transport, identity } = this.#init;
    transport.setProtocolVersion?.(version);
    this.#isReady = true;
    this.#outgoing.leaveHandshake();
    this.#envelope = isModernVersion(version) ? modernEnvelope(version, identity) : undefined;
  }

  /**
   * The server is not who it was taken for, or forgot the session: refuses later requests with
   * `error`, and ends when those under way are settled.
   */
  leave(error: HostsideError): void {
    if (this.#expiredBy !== undefined || this.#isClosed) return;
    const { events, transport } = this.#init;
    this.#expiredBy = error;
    events.onForgotten?.(error);
    this.#outgoing.refuse(error, () => void transport.close());
  }

  request(request: OutgoingRequest): Promise<JsonObject> {
    return this.#outgoing.start(request);
  }

  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const { transport, context } = this.#init;
    const { closedBy } = this.#outgoing;
    if (closedBy !== undefined) throw withErrorContext(closedBy, { outcome: "not-sent" });
    const own = isJsonObject(params?.["_meta"]) ? params["_meta"] : undefined;
    const meta = this.#envelope && { _meta: { ...this.#envelope, ...own } };
    const body = params === undefined && meta === undefined ? undefined : { ...params, ...meta };
    this.#expectStrayError();
    try {
      await transport.send({ jsonrpc: "2.0", method, ...(body && { params: body }) });
    } catch (error) {
      throw asHostsideError(context, error);
    }
  }

  async close(error: HostsideError, reason: string): Promise<void> {
    const { transport } = this.#init;
    this.#end();
    const cancelled = this.#outgoing.cancelAll(error, cleanText(reason, 200).replaceAll(/\s+/g, " "));
    await settleWithin(cancelled, farewellMs);
    await transport.close();
  }

  /** Nothing more is taken from the server. */
  #end(): void {
    this.#isClosed = true;
    this.changes.close();
    this.#progressGate.close();
    this.#served.close();
  }

  #down(): void {
    const { transport, context, events } = this.#init;
    const { serverId } = context;
    const wasClosed = this.#isClosed;
    this.#end();
    const error =
      this.#expiredBy ??
      transport.closeReason ??
      new HostsideError(`the connection to server ${JSON.stringify(serverId)} closed`, {
        code: "connection_closed",
        serverId,
      });
    this.#outgoing.failAll(error);
    if (!wasClosed) events.onDown(error);
  }

  #receive(message: JsonObject, relatedId: unknown, bytes: number | undefined): void {
    const { id, method } = message;
    if (typeof method === "string") {
      if (id === undefined || id === null) this.#receiveNotification(method, message["params"]);
      else this.#receiveRequest({ id, method, params: message["params"] }, relatedId);
      return;
    }
    if (typeof id === "number" && this.#outgoing.answer(id, message, bytes)) {
      if (id >= this.#notified.nextId) this.#notified = noNotifications;
      return;
    }
    this.#receiveOtherAnswer(id, message, bytes);
  }

  // 2026-07-28 has no requests from server to client. Over HTTP an answer to one would be an error
  // of its own. Over pipes a server may ping all the same, and kill the connection that does not
  // answer.
  #receiveRequest(request: { id: unknown; method: string; params: unknown }, relatedId: unknown): void {
    if (this.#isClosed) return;
    const isModern = this.#envelope !== undefined;
    if (isModern && this.hasPerRequestStream) return;
    const given = toOwnId(relatedId);
    const ownId = typeof given === "number" ? given : undefined;
    this.#served.receive({
      ...request,
      relatedId: ownId,
      method: isModern && request.method !== "ping" ? "" : request.method,
      isReady: this.#isReady,
      origin: () => this.#outgoing.origin(ownId),
    });
  }

  // Rare, and so after the others: ids that came back as text or not at all, and answers that
  // nobody waits for.
  #receiveOtherAnswer(id: unknown, message: JsonObject, bytes: number | undefined): void {
    const outgoing = this.#outgoing;
    const { redact } = this.#init.context;
    if (id === null || id === undefined) {
      // A server that could not even read the request answers its error with `id: null`. With one
      // under way, that is the one.
      const { soleId } = outgoing;
      const { error } = message;
      if (soleId !== undefined && isJsonObject(error) && !this.#isStrayError(error)) {
        outgoing.answer(soleId, message, bytes);
        return;
      }
    }
    const ownId = toOwnId(id);
    if (typeof ownId === "number") {
      if (outgoing.answer(ownId, message, bytes)) return;
      // A late answer to a request that was given up, or a second one: the first word counts.
      if (outgoing.issued(ownId)) return;
    }
    if (!isMessage(message))
      return this.#anomaly(`sent something that is no JSON-RPC message: ${quoteJson(message, redact)}`);
    this.#anomaly(`answered a request that was never sent (id ${quoteJson(id, redact)})`);
  }

  #expectStrayError(): void {
    this.#notified = { count: this.#notified.count + 1, nextId: this.#outgoing.nextId };
  }

  // Some servers answer a notification that they do not know, and have no id for it. To take that
  // for the answer to a request would tell of a call that runs that it failed.
  #isStrayError({ code }: JsonObject): boolean {
    const { count, nextId } = this.#notified;
    if (count === 0 || !strayCodes.has(code)) return false;
    this.#notified = { count: count - 1, nextId };
    return true;
  }

  #receiveNotification(method: string, given: unknown): void {
    const params = isJsonObject(given) ? given : undefined;
    // These settle something that is waited for, so that no flood may swallow them.
    if (method === "notifications/cancelled") {
      this.#served.cancel(params?.["requestId"]);
      this.#outgoing.cancelStream(toOwnId(params?.["requestId"]));
      return;
    }
    if (method === "notifications/subscriptions/acknowledged") {
      const meta = params?.["_meta"];
      const id = isJsonObject(meta) ? meta["io.modelcontextprotocol/subscriptionId"] : undefined;
      return this.#outgoing.acknowledge(toOwnId(id), params?.["notifications"]);
    }
    if (method === "notifications/progress" && this.#receiveProgress(params)) return;
    // Unknown ones are to be ignored (JSON-RPC 2.0, section 4.1), and count all the same.
    const isTaken = this.changes.receive(method, params);
    if (isTaken && method === "notifications/message") {
      const { context } = this.#init;
      context.onLog(readServerLog(given, context.redact));
    }
  }

  // A call waits for it: each report counts as a sign of life, and the latest one reaches the
  // caller. `false`: it belongs to no request.
  #receiveProgress(params: JsonObject | undefined): boolean {
    if (params === undefined) return false;
    const { progressToken, progress, total, message } = params;
    const id = toOwnId(progressToken);
    if (typeof progress !== "number" || typeof id !== "number" || !this.#outgoing.isWaiting(id)) return false;
    const isDue = this.#progressGate.admit();
    this.#outgoing.progress(id, isDue, () => ({
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message: safeExcerpt(message, this.#init.context.redact, 1000) }),
    }));
    if (!isDue) this.#progressGate.defer();
    return true;
  }

  #anomaly(what: string): void {
    if (this.changes.gate.admit()) this.#report(`server ${JSON.stringify(this.#init.context.serverId)} ${what}`);
  }

  #report(message: string): void {
    const { serverId, onDiagnostic } = this.#init.context;
    onDiagnostic({ kind: "protocol-anomaly", serverId, message });
  }
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
