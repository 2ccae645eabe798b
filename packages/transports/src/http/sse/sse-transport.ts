import { acceptStream, replyKindOf, type Cancellable, type HttpReply } from "../exchange/http-exchange.ts";
import type { JsonObject, HostsideError } from "@hostside/core";
import { withErrorContext, utf8Length } from "@hostside/core/implement";
import { isRequest, type RequestId, type SendOptions, type Transport } from "../../message/transport.ts";
import {
  MessageParser,
  type ReadingContext,
  type ReceivedMessageSink,
  acceptAny,
  createAnomalyReport,
  isSameId,
} from "../events/message-parser.ts";
import {
  asExchangeError,
  noAnswer,
  noStream,
  streamEnded,
  takenBack,
  transportClosed,
} from "../exchange/answer-error.ts";
import { startBriefCall } from "../exchange/brief-call.ts";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import { createLingerWatch, type LingerWatch } from "../../time/cancellable-wait.ts";
import type { TransportContext } from "../../context/server-context.ts";
import { readRemark } from "../exchange/read-body.ts";

/** The parts of a transport of the old HTTP+SSE kind. */
export interface SseInit {
  /** Its `signal` aborts `start()`. */
  readonly context: TransportContext;
  readonly endpoint: HttpEndpoint;
}

// A message that was answered may wait for its reply for this long, to twice as much.
const lingerMs = 5000;

interface UnderWay extends Cancellable {
  /** The id of a request. */
  readonly id?: RequestId;
  /** The answer came on the stream; only the reply to the message itself is still out. */
  isAnswered?: boolean;
}

interface State extends SseInit {
  readonly transport: Transport;
  readonly reading: ReadingContext;
  /** All that waits for the server. */
  readonly underWay: Set<UnderWay>;
  /** Ends messages whose reply does not come though they were answered. */
  readonly lingerWatch: LingerWatch;
  /** The URL for messages, once the server said so. */
  target: URL | undefined;
  protocolVersion: string | undefined;
  closeReason: HostsideError | undefined;
  hasStream: boolean;
  isClosed: boolean;
}

/**
 * The HTTP+SSE of 2024-11-05: one stream for all that the server says, whose first event names the
 * URL that messages go to. `start()` opens the stream and waits for that event; it rejects with
 * what the status means, what broke the exchange, or `aborted`. The stream is the connection:
 * whatever ends it ends the transport at once, with a reason. A message whose request was taken
 * back, or answered some seconds ago, does not wait for its reply.
 */
export function createSseTransport({ context, endpoint }: SseInit): Transport {
  const { settings } = context;
  const transport: Transport = {
    get closeReason() {
      return state.closeReason;
    },
    get hasStream() {
      return state.hasStream;
    },
    setProtocolVersion(version) {
      state.protocolVersion = version;
    },
    start: () => start(state),
    send: (message, options) => send(state, message, options),
    takeBack(id) {
      for (const step of Array.from(state.underWay))
        if (step.id === id) step.cancel(takenBack(state.endpoint, "unknown"));
    },
    close: async () => end(state, transportClosed(state.endpoint)),
  };
  const sink: ReceivedMessageSink = {
    deliver(message, _relatedId, bytes) {
      if (state.isClosed) return;
      if (!("method" in message)) watchReply(state, message["id"]);
      transport.onmessage?.(message, undefined, bytes);
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
    target: undefined,
    protocolVersion: undefined,
    closeReason: undefined,
    hasStream: false,
    isClosed: false,
  };
  return transport;
}

// What was answered needs no reply any more: a server that never gives one would use up a
// connection for each call.
function watchReply({ underWay, lingerWatch, endpoint }: State, id: unknown): void {
  for (const step of Array.from(underWay)) {
    // Once, however often a server says it.
    if (step.id !== undefined && step.isAnswered !== true && isSameId(id, step.id)) {
      step.isAnswered = true;
      lingerWatch.add({ cancel: () => step.cancel(takenBack(endpoint, "unknown")) });
    }
  }
}

async function start(state: State): Promise<void> {
  const { context, endpoint, underWay } = state;
  const { signal } = context;
  if (signal.aborted) throw takenBack(endpoint, "not-sent");
  const call = endpoint.call({ method: "GET", headers: acceptStream });
  const onAbort = (): void => call.cancel(takenBack(endpoint, "not-sent"));
  underWay.add(call);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const reply = await call.reply;
    if (replyKindOf(reply) !== "events") throw noStream(endpoint, await readRemark(reply), "none");
    state.hasStream = true;
    await new Promise<void>((resolve, reject) => {
      // Goes on when this promise is long settled.
      void follow(state, reply, { onTarget: resolve, onEnd: reject });
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

interface Following {
  /** It is known where messages go. */
  readonly onTarget: () => void;
  readonly onEnd: (reason: HostsideError) => void;
}

/** Reads the stream until it ends, and the transport with it. */
async function follow(state: State, reply: HttpReply, { onTarget, onEnd }: Following): Promise<void> {
  const { endpoint, reading } = state;
  const { sink } = reading;
  let reason: HostsideError;
  const parser = new MessageParser({
    reading,
    onBrokenAnswer(id, _what, error) {
      state.transport.onrequestfailed?.(id, error);
    },
    onJson(json, _eventId, bytes) {
      if (state.target === undefined) sink.onAnomaly("a message before it said where to answer");
      else acceptAny(json, { sink, bytes });
    },
    onOtherEvent(type, data) {
      if (type !== "endpoint" || state.target !== undefined) return;
      state.target = readTarget(data, endpoint);
      onTarget();
    },
  });
  try {
    await reply.read((chunk) => parser.push(chunk));
    reason = streamEnded(endpoint);
  } catch (error) {
    reason = asExchangeError(error, endpoint);
  }
  onEnd(reason);
  if (state.target !== undefined) end(state, reason);
}

// Credentials go along with every message, so the server may only name a place of its own.
function readTarget(data: string, endpoint: HttpEndpoint): URL {
  const { url } = endpoint;
  const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
  if (target?.origin !== url.origin || target.username !== "" || target.password !== "") {
    throw noAnswer(endpoint, "a message URL of another origin", target?.origin ?? data);
  }
  return target;
}

async function send(state: State, message: JsonObject, { callContext, onSize }: SendOptions = {}): Promise<void> {
  const { context, endpoint, target, protocolVersion, underWay } = state;
  // A server may hold its reply to a request until it has the answer.
  const { callMs, requestMs } = context.settings.timeouts;
  if (state.isClosed) throw withErrorContext(state.closeReason ?? transportClosed(endpoint), { outcome: "not-sent" });
  if (target === undefined) throw new TypeError("send() before start()");
  const body = JSON.stringify(message);
  onSize?.(utf8Length(body));
  const call = startBriefCall(
    endpoint,
    {
      method: "POST",
      url: target,
      about: { message, callContext },
      body,
      headers: {
        "content-type": "application/json",
        ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
      },
    },
    isRequest(message) ? callMs : requestMs,
  );
  const sent: UnderWay = isRequest(message)
    ? { id: message.id, cancel: (reason: HostsideError) => call.cancel(reason) }
    : call;
  underWay.add(sent);
  try {
    const reply = await call.reply;
    if (replyKindOf(reply) === "refused") throw endpoint.toError(reply, "url");
  } finally {
    underWay.delete(sent);
  }
}

function end(state: State, reason: HostsideError): void {
  if (state.isClosed) return;
  state.isClosed = true;
  if (reason.code !== "closed") state.closeReason = reason;
  state.lingerWatch.close();
  for (const step of Array.from(state.underWay)) step.cancel(reason);
  state.endpoint.close();
  state.transport.onclose?.();
}
