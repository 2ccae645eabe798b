import { acceptStream, replyKindOf, type Cancellable, type HttpReply } from "../exchange/http-exchange.ts";
import { HostsideError, type Cancel, type JsonObject } from "@hostside/core";
import {
  onAbort,
  utf8Length,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isReservedHeader,
} from "@hostside/core/implement";
import {
  isRequest,
  type RequestId,
  type RpcRequest,
  type SendOptions,
  type Transport,
} from "../../message/transport.ts";
import { createAnomalyReport, type ReadingContext, type ReceivedMessageSink } from "../events/message-parser.ts";
import { acceptReply, acceptWhole, type AwaitedReply } from "./accept-reply.ts";
import { asExchangeError, takenBack, transportClosed, noAnswer } from "../exchange/answer-error.ts";
import { readAnswerStream } from "./answer-stream.ts";
import { startBriefCall } from "../exchange/brief-call.ts";
import type { EndpointRequest, HttpEndpoint } from "../exchange/http-endpoint.ts";
import type { SessionUse } from "../exchange/from-http-status.ts";
import { createLingerWatch, type LingerWatch } from "../../time/cancellable-wait.ts";
import type { ServerContext } from "../../context/server-context.ts";
import { openNotificationStream } from "./notification-stream.ts";
import { envelopeVersionOf, protocolHeaders } from "../exchange/request-headers.ts";

/** The parts of a a Streamable HTTP transport. */
export interface StreamableHttpInit {
  readonly context: ServerContext;
  readonly endpoint: HttpEndpoint;
}

// A stream that answered a request should end. One that does not may keep its connection for this
// long.
const lingerMs = 5000;

interface State extends StreamableHttpInit {
  readonly transport: Transport;
  readonly reading: ReadingContext;
  /** All that waits for the server. */
  readonly underWay: Set<Cancellable & { readonly id?: RequestId }>;
  readonly lingerWatch: LingerWatch;
  sessionId: string | undefined;
  protocolVersion: string | undefined;
  /** The headers of every message. */
  messageHeaders: Readonly<Record<string, string>>;
  isClosed: boolean;
}

const plainHeaders = {
  ...acceptStream,
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

/**
 * Streamable HTTP in both eras: one POST per message, answered with JSON or with a stream of
 * events. A session that the server opens with its answer to `initialize` is kept, and after
 * `notifications/initialized` the server's own stream is listened to; neither exists in 2026-07-28,
 * where a request is told by the revision in its `_meta`.
 *
 * `send()` of a request settles when the server has taken it: after the answer if that is JSON, at
 * its start if it is a stream. What goes wrong later is told by `onrequestfailed`. Nothing is sent
 * before the first `send()`.
 */
export function createStreamableHttpTransport({ context, endpoint }: StreamableHttpInit): Transport {
  const { settings } = context;
  let closing: Promise<void> | undefined;
  const transport: Transport = {
    hasPerRequestStream: true,
    setProtocolVersion(version) {
      state.protocolVersion = version;
      renewHeaders(state);
    },
    start: () => Promise.resolve(),
    send: (message, options = {}) =>
      isRequest(message) ? sendRequest(state, message, options) : sendNotification(state, message, options),
    takeBack(id) {
      for (const step of Array.from(state.underWay))
        if (step.id === id) step.cancel(takenBack(state.endpoint, "unknown"));
    },
    close: () => (closing ??= close(state)),
    get sessionId() {
      return state.sessionId;
    },
  };
  const sink: ReceivedMessageSink = {
    deliver(message, relatedId, bytes) {
      if (!state.isClosed) transport.onmessage?.(message, relatedId, bytes);
    },
    onAnomaly: createAnomalyReport(context),
  };
  const state: State = {
    context,
    endpoint,
    transport,
    reading: { endpoint, sink, limits: settings.limits },
    underWay: new Set(),
    lingerWatch: createLingerWatch(lingerMs),
    sessionId: undefined,
    protocolVersion: undefined,
    messageHeaders: plainHeaders,
    isClosed: false,
  };
  return transport;
}

async function sendNotification(state: State, message: JsonObject, options: SendOptions): Promise<void> {
  if (state.isClosed) throw transportClosed(state.endpoint);
  const request = toRequest(state, message, options);
  const call = startBriefCall(state.endpoint, request, state.context.settings.timeouts.requestMs);
  state.underWay.add(call);
  try {
    const reply = await call.reply;
    if (replyKindOf(reply) === "refused") throw state.endpoint.toError(reply, sessionOf(state, message, request));
  } finally {
    state.underWay.delete(call);
  }
  if (message["method"] === "notifications/initialized" && !state.isClosed) listen(state);
}

function toRequest(state: State, message: JsonObject, { headers, callContext, onSize }: SendOptions): EndpointRequest {
  const body = JSON.stringify(message);
  onSize?.(utf8Length(body));
  const common = isInitialize(message) ? plainHeaders : state.messageHeaders;
  const own = protocolHeaders(message);
  return {
    method: "POST",
    about: { message, callContext },
    body,
    // The same object for as many messages as possible: what was prepared for one is good for the
    // next.
    headers:
      headers === undefined && own === undefined
        ? common
        : { ...(headers && requestHeaders(headers, state.endpoint.serverId)), ...common, ...own },
  };
}

/** A request that waits for its answer. A class, because there is one for each call. */
class Pending implements Cancellable {
  readonly id: RequestId;
  /** The step that it waits for. */
  step: Cancellable;
  cancelledBy: HostsideError | undefined;
  readonly #underWay: State["underWay"];
  readonly #ignoreAbort: Cancel | undefined;

  constructor({ underWay, endpoint }: State, step: Cancellable, { id, signal }: PendingInit) {
    this.id = id;
    this.step = step;
    this.#underWay = underWay;
    underWay.add(this);
    this.#ignoreAbort = signal && onAbort(signal, () => this.cancel(takenBack(endpoint, "unknown")));
  }

  cancel(reason: HostsideError): void {
    this.cancelledBy ??= reason;
    this.step.cancel(reason);
  }

  /** It waits no more. */
  release(): void {
    this.#underWay.delete(this);
    this.#ignoreAbort?.();
  }
}

interface PendingInit {
  readonly id: RequestId;
  readonly signal: AbortSignal | undefined;
}

async function sendRequest(state: State, message: RpcRequest, options: SendOptions): Promise<void> {
  const { requestSignal: signal } = options;
  const { id } = message;
  if (state.isClosed) throw transportClosed(state.endpoint);
  if (signal?.aborted) throw takenBack(state.endpoint, "not-sent");
  const request = toRequest(state, message, options);
  const call = state.endpoint.call(request);
  const pending = new Pending(state, call, { id, signal });
  let isStreaming = false;
  try {
    const reply = await call.reply;
    const kind = replyKindOf(reply);
    if (isInitialize(message) && kind !== "refused") {
      state.sessionId = readSessionId(reply, state.endpoint);
      renewHeaders(state);
    }
    const awaited: AwaitedReply = {
      reading: state.reading,
      id,
      session: kind === "refused" ? sessionOf(state, message, request) : "none",
    };
    if (acceptWhole(reply, kind, awaited)) return;
    if (kind === "events") {
      isStreaming = true;
      // 2026-07-28 has no resumption: a stream that breaks off is lost.
      void followStream(state, { pending, reply, isResumable: envelopeVersionOf(message) === undefined });
    } else {
      await acceptReply(reply, kind, awaited);
    }
  } finally {
    if (!isStreaming) pending.release();
  }
}

async function followStream(
  state: State,
  { pending, reply, isResumable }: { pending: Pending; reply: HttpReply; isResumable: boolean },
): Promise<void> {
  const { endpoint, transport } = state;
  try {
    await readAnswerStream(reply, {
      reading: state.reading,
      id: pending.id,
      session: state.sessionId === undefined ? "none" : "id",
      lingerWatch: state.lingerWatch,
      resume: isResumable ? (lastEventId) => endpoint.call(streamRequest(state, lastEventId)) : undefined,
      onStep(step) {
        pending.step = step;
        // Taken back in the moment between two steps, it must not go on with the next.
        if (pending.cancelledBy !== undefined) step.cancel(pending.cancelledBy);
      },
    });
  } catch (error) {
    if (pending.cancelledBy === undefined) transport.onrequestfailed?.(pending.id, asExchangeError(error, endpoint));
  } finally {
    pending.release();
  }
}

// The server's own stream, which only a legacy server has.
function listen(state: State): void {
  const { context, endpoint, transport } = state;
  const stream = openNotificationStream({
    reading: state.reading,
    session: state.sessionId === undefined ? "none" : "id",
    open: (lastEventId) => endpoint.call(streamRequest(state, lastEventId)),
    openMs: context.settings.timeouts.requestMs,
    onInterrupted: () => transport.oninterrupted?.(),
    onLost: (how) => reportStreamLost(context, how),
  });
  state.underWay.add(stream);
  // Of a server that has none, the refusal need not be kept.
  void stream.done.then(() => state.underWay.delete(stream));
}

function reportStreamLost({ serverId, onDiagnostic }: ServerContext, how: string): void {
  const message = `the notification stream of server ${JSON.stringify(serverId)} is not open: ${how}`;
  onDiagnostic({ kind: "stream-lost", serverId, message });
}

function streamRequest(state: State, lastEventId: string | undefined): EndpointRequest {
  return {
    method: "GET",
    recovery: "quiet",
    headers: {
      ...connectionHeaders(state),
      ...acceptStream,
      ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    },
  };
}

async function close(state: State): Promise<void> {
  const { context, endpoint, transport, underWay, lingerWatch, sessionId } = state;
  state.isClosed = true;
  lingerWatch.close();
  for (const step of Array.from(underWay)) step.cancel(transportClosed(endpoint));
  if (sessionId !== undefined) {
    const request: EndpointRequest = { method: "DELETE", recovery: "none", headers: connectionHeaders(state) };
    try {
      await startBriefCall(endpoint, request, context.settings.timeouts.closeMs).reply;
    } catch {
      // A courtesy: a session whose server does not hear of it, or does not allow it (405),
      // expires.
    }
  }
  endpoint.close();
  transport.onclose?.();
}

function renewHeaders(state: State): void {
  state.messageHeaders = { ...plainHeaders, ...connectionHeaders(state) };
}

function connectionHeaders({ sessionId, protocolVersion }: State): Record<string, string> {
  return {
    ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
    ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
  };
}

// A revision is set when the handshake is over, and only those with a session have messages without
// it in their `_meta`.
function sessionOf({ protocolVersion }: State, message: JsonObject, { headers }: EndpointRequest): SessionUse {
  if ("mcp-session-id" in headers) return "id";
  const isHandshakeOver = protocolVersion !== undefined && !isInitialize(message) && isRequest(message);
  return isHandshakeOver && envelopeVersionOf(message) === undefined ? "handshake" : "none";
}

function isInitialize(message: JsonObject): boolean {
  return message["method"] === "initialize";
}

/**
 * The headers that come with one message from above, in lower case. Those that the transport sets
 * itself, and credentials, which are the connection's, are left out. Throws `internal_error` for
 * what no header can carry: encoding it was the caller's part.
 */
function requestHeaders(headers: Readonly<Record<string, string>>, serverId: string): Readonly<Record<string, string>> {
  const accepted: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const isOwned = isReservedHeader(lower) || isCredentialHeader(lower);
    if (isOwned && !lower.startsWith("mcp-param-")) continue;
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      throw new HostsideError("a header of the request is malformed", {
        code: "internal_error",
        serverId,
        outcome: "not-sent",
      });
    }
    accepted[lower] = value;
  }
  return accepted;
}

// The revision allows visible ASCII only; what else a server sends could not be echoed in a header.
const legalSessionId = /^[\u0021-\u007E]{1,4096}$/;

/**
 * The id of the session that a server opens with its answer to `initialize`; `undefined` when it
 * opens none. Throws `protocol_error` for one that no header can carry.
 */
function readSessionId(reply: HttpReply, endpoint: HttpEndpoint): string | undefined {
  const sessionId = reply.header("mcp-session-id");
  if (sessionId === undefined || legalSessionId.test(sessionId)) return sessionId;
  reply.cancel();
  throw noAnswer(endpoint, "an illegal session id", "");
}
