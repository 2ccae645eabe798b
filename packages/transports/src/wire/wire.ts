import type { RequestId, Transport } from "@modelcontextprotocol/client";
import {
  cleanText,
  isJsonObject,
  ToolportError,
  withErrorContext,
  type JsonObject,
  type ServerLog,
} from "@toolport/core";
import type { ClientIdentity } from "../client-identity.ts";
import type { HostTransport } from "../host-transport.ts";
import type { RequestChannel } from "../connection/request-channel.ts";
import { quoteJson } from "../quote-json.ts";
import { settleWithin } from "../settle-within.ts";
import { createActiveClock } from "./active-clock.ts";
import { createHotRequests, type HotRequests } from "./hot-requests.ts";
import { createNotificationGate, type NotificationGate } from "./notification-gate.ts";
import { readServerLog } from "./read-server-log.ts";
import { asToolportError } from "./request-errors.ts";
import { isModernVersion, modernEnvelope } from "./request-meta.ts";
import { createSdkTraffic, type SdkTraffic } from "./sdk-traffic.ts";
import type { WireContext } from "./wire-context.ts";

/**
 * The seam between two speakers of JSON-RPC on one transport. The SDK's client has the handshake, `subscriptions/listen` and the
 * server's own requests; the wire has the requests of a running connection, because the SDK's client costs several times as much
 * per call and hangs on malformed answers. Each request id has one owner; what fits no request that was sent is dropped.
 */
export interface Wire extends RequestChannel {
  /** The SDK's side. */
  readonly sdkTransport: Transport;
  /** True when each request is an exchange of its own, as over HTTP. */
  readonly hasPerRequestStream: boolean;
  /** True once the server gave a well-formed answer to `server/discover`, whatever it says. */
  readonly isProbeAnswered: boolean;
  /** True once the SDK sent `initialize`. */
  readonly didInitialize: boolean;
}

/** How a wire reports upwards. None is called after {@linkcode Wire.close}. */
export interface WireEvents {
  readonly onToolsChanged: () => void;
  readonly onLog: (log: ServerLog) => void;
  /** The session ended by itself; every request was rejected. Called at most once. */
  readonly onDown: (error: ToolportError) => void;
}

/** What a {@linkcode Wire} is made from. */
export interface WireInit {
  readonly host: HostTransport;
  readonly identity: ClientIdentity;
  readonly maxNotificationsPerSecond: number;
  readonly context: WireContext;
  readonly events: WireEvents;
}

interface State extends WireInit {
  readonly hot: HotRequests;
  readonly sdk: SdkTraffic;
  readonly gate: NotificationGate;
  /** The `_meta` of a modern connection, known once the SDK settled on a revision. */
  envelope: JsonObject | undefined;
  /** Notifications that the server may still answer, though it must not, and the id that the first request after them has. */
  notified: { readonly count: number; readonly nextId: number };
  /** Why the session is no good any more, though requests may still be under way. */
  expiredBy: ToolportError | undefined;
  isClosed: boolean;
}

// For the server to be told that its requests are cancelled, before the connection to it is cut.
const farewellMs = 100;

/** Puts a wire on a transport that is not started yet; the SDK's client starts it. */
export function createWire(init: WireInit): Wire {
  const { host, identity, context, events } = init;
  const activeClock = createActiveClock(context.clock);
  const state: State = {
    ...init,
    hot: createHotRequests({
      host,
      context,
      activeClock,
      envelope: () => state.envelope,
      onSessionExpired: (error) => expire(state, error),
      onNotified: () => expectStrayError(state),
    }),
    sdk: createSdkTraffic({
      host,
      context,
      isModern: () => state.envelope !== undefined,
      onProtocolVersion: (version) => {
        state.envelope = isModernVersion(version) ? modernEnvelope(version, identity) : undefined;
      },
      onNotified: () => expectStrayError(state),
    }),
    gate: createNotificationGate({
      perSecond: init.maxNotificationsPerSecond,
      context,
      onDeferred: () => events.onToolsChanged(),
    }),
    envelope: undefined,
    notified: noNotifications,
    expiredBy: undefined,
    isClosed: false,
  };
  host.onmessage = (message: unknown) => receive(state, message);
  host.onrequestfailed = (id, error) => {
    if (typeof id !== "number" || !state.hot.fail(id, error)) state.sdk.fail(id, error);
  };
  host.oninterrupted = () => {
    if (!state.isClosed) events.onToolsChanged();
  };
  host.onerror = (error) => state.sdk.transport.onerror?.(error);
  host.onclose = () => down(state);
  return {
    sdkTransport: state.sdk.transport,
    hasPerRequestStream: host.hasPerRequestStream === true,
    activeClock,
    get isProbeAnswered() {
      return state.sdk.isProbeAnswered;
    },
    get didInitialize() {
      return state.sdk.didInitialize;
    },
    request: (request) => state.hot.start(request),
    notify: (method, params) => notify(state, method, params),
    async close(error, reason) {
      state.isClosed = true;
      state.gate.close();
      await settleWithin(state.hot.cancelAll(error, cleanText(reason, 200)), farewellMs, context.clock);
      await host.close();
    },
  };
}

function receive(state: State, message: unknown): void {
  if (!isJsonObject(message)) {
    // JSON-RPC batches exist in 2025-03-26 alone, and only there may a server send one.
    if (Array.isArray(message)) for (const each of message) receiveOne(state, each);
    else noise(state, "sent something that is no JSON-RPC message");
    return;
  }
  receiveOne(state, message);
}

function receiveOne(state: State, message: unknown): void {
  if (!isJsonObject(message)) return noise(state, "sent something that is no JSON-RPC message");
  const { id, method } = message;
  if (typeof method === "string") {
    if (id === undefined || id === null) receiveNotification(state, method, message);
    else state.sdk.receiveRequest(id, method, message);
    return;
  }
  if (typeof id === "number" && state.hot.answer(id, message)) {
    if (id >= state.notified.nextId) state.notified = noNotifications;
    return;
  }
  receiveOtherAnswer(state, id, message);
}

// Off the fast path: the SDK's answers, ids that came back as text or not at all, and answers that nobody waits for.
function receiveOtherAnswer(state: State, id: unknown, message: JsonObject): void {
  if (state.sdk.answer(id, message)) return;
  if (id === null || id === undefined) {
    // A server that could not even read the request answers its error with `id: null`. With one under way, that is the one.
    const soleId = state.sdk.handshakeId ?? state.hot.soleId;
    const { error } = message;
    if (soleId !== undefined && isJsonObject(error) && !isStrayError(state, error)) {
      return receiveAnswerTo(state, soleId, message);
    }
  }
  const asNumber = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
  if (typeof asNumber === "number") {
    if (state.hot.answer(asNumber, message)) return;
    // A late answer to a request that was given up, or a second one: the first word counts.
    if (state.hot.issued(asNumber)) return;
  }
  noise(state, `answered a request that was never sent (id ${quoteJson(id, state.context.redact)})`);
}

const noNotifications = { count: 0, nextId: Number.POSITIVE_INFINITY };
// "Invalid Request" and "Method not found" (JSON-RPC 2.0, section 5.1).
const strayCodes: ReadonlySet<unknown> = new Set([-32_600, -32_601]);

function expectStrayError(state: State): void {
  state.notified = { count: state.notified.count + 1, nextId: state.hot.nextId };
}

// Some servers answer a notification that they do not know, and have no id for it. To take that for the answer to a request would
// tell of a call that runs that it failed.
function isStrayError(state: State, { code }: JsonObject): boolean {
  const { count, nextId } = state.notified;
  if (count === 0 || !strayCodes.has(code)) return false;
  state.notified = { count: count - 1, nextId };
  return true;
}

function receiveAnswerTo(state: State, id: RequestId, message: JsonObject): void {
  if (typeof id !== "number" || !state.hot.answer(id, message)) state.sdk.answer(id, message);
}

function receiveNotification(state: State, method: string, message: JsonObject): void {
  // These two settle something that the SDK waits for, so that no flood may swallow them; others of their kind are dropped.
  if (state.sdk.receiveNotification(method, message)) return;
  const isAdmitted = state.gate.admit();
  switch (method) {
    case "notifications/tools/list_changed":
      if (state.isClosed) return;
      if (isAdmitted) state.events.onToolsChanged();
      else state.gate.defer();
      return;
    case "notifications/progress":
      if (isAdmitted) receiveProgress(state, message["params"]);
      return;
    case "notifications/message":
      if (isAdmitted && !state.isClosed) state.events.onLog(readServerLog(message["params"], state.context.redact));
      return;
    default:
    // Unknown notifications are to be ignored (JSON-RPC 2.0, section 4.1).
  }
}

function receiveProgress(state: State, params: unknown): void {
  if (!isJsonObject(params)) return;
  const { progressToken, progress, total, message } = params;
  if (typeof progress !== "number") return;
  state.hot.progress(Number(progressToken), {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message: cleanText(message, 1000) }),
  });
}

async function notify(state: State, method: string, params: JsonObject | undefined): Promise<void> {
  const { envelope, hot, context } = state;
  if (hot.closedBy !== undefined) throw withErrorContext(hot.closedBy, { outcome: "not-sent" });
  const meta = envelope && {
    _meta: { ...envelope, ...(isJsonObject(params?.["_meta"]) ? params["_meta"] : undefined) },
  };
  const body = params === undefined && meta === undefined ? undefined : { ...params, ...meta };
  expectStrayError(state);
  try {
    await state.host.send({ jsonrpc: "2.0", method, ...(body && { params: body }) });
  } catch (error) {
    throw asToolportError(context, error);
  }
}

// Each request on the dead session is refused by itself, provably unprocessed, so that those under way are left to their own end.
function expire(state: State, error: ToolportError): void {
  if (state.expiredBy !== undefined || state.isClosed) return;
  state.expiredBy = error;
  state.hot.refuse(error, () => void state.host.close());
}

function down(state: State): void {
  const { host, context, events } = state;
  const { serverId } = context;
  const wasClosed = state.isClosed;
  state.isClosed = true;
  state.gate.close();
  const error =
    state.expiredBy ??
    host.closeReason ??
    new ToolportError(`the connection to server ${JSON.stringify(serverId)} closed`, {
      code: "connection_closed",
      serverId,
    });
  state.hot.failAll(error);
  state.sdk.transport.onclose?.();
  if (!wasClosed) events.onDown(error);
}

function noise(state: State, what: string): void {
  const { serverId, onDiagnostic } = state.context;
  if (!state.gate.admit()) return;
  onDiagnostic({ kind: "protocol-noise", serverId, message: `server ${JSON.stringify(serverId)} ${what}` });
}
