import type { JSONRPCMessage, RequestId, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { isJsonObject, ToolportError, type JsonObject } from "@toolport/core";
import type { HostTransport } from "../host-transport.ts";
import { readAnswer, type Answer } from "./read-answer.ts";
import { repairInitialize } from "./repair-initialize.ts";
import type { WireContext } from "./wire-context.ts";

/** What the SDK's client sends and gets, in the shape that its strict schemas accept: it hangs on anything else. */
export interface SdkTraffic {
  /** The transport to hand to the SDK's client. */
  readonly transport: Transport;
  /** True once the server gave a well-formed answer to `server/discover`. */
  readonly isProbeAnswered: boolean;
  /** True once the SDK sent `initialize`. */
  readonly didInitialize: boolean;
  /** The id of the handshake's request that waits for an answer, if one does. */
  readonly handshakeId: RequestId | undefined;
  /** Hands on an answer to one of the SDK's requests. `false`: the SDK sent no such request, or has its answer. */
  answer(id: unknown, message: JsonObject): boolean;
  /** Tells the SDK that one of its requests failed. */
  fail(id: RequestId, error: ToolportError): void;
  /** Hands on a request of the server, within bounds. */
  receiveRequest(id: unknown, method: string, message: JsonObject): void;
  /** Hands on what settles something of the SDK's. `false`: this notification is not the SDK's. */
  receiveNotification(method: string, message: JsonObject): boolean;
}

/** What {@linkcode SdkTraffic} is made from. */
export interface SdkTrafficInit {
  readonly host: HostTransport;
  readonly context: WireContext;
  /** Whether the revision is one without requests from server to client. */
  readonly isModern: () => boolean;
  /** The revision that the SDK's client settled on. */
  readonly onProtocolVersion: (version: string) => void;
  /** A notification is about to be sent. */
  readonly onNotified: () => void;
}

interface State extends SdkTrafficInit {
  readonly transport: Transport;
  /** Id on the wire -> the SDK's own id and method. */
  readonly sent: Map<RequestId, { readonly id: RequestId; readonly method: string }>;
  /** Ids of the server's requests that the SDK works on. */
  readonly served: Set<RequestId>;
  isProbeAnswered: boolean;
  didInitialize: boolean;
  nextProbeId: number;
}

// Above the wire's own ids. The SDK names its probe with a string, which servers that expect numbers answer wrongly or not at all.
const firstProbeId = 2_000_000_000;
const mostServedRequests = 32;
const internalError = -32_603;

/** Makes the SDK's side of a wire. */
export function createSdkTraffic(init: SdkTrafficInit): SdkTraffic {
  const { host } = init;
  const transport: Transport & { pid?: undefined; stderr?: undefined } = {
    start: () => host.start(),
    send: (message, options) => send(state, message, options),
    // The SDK closes after a failed handshake. Whoever made the attempt closes the transport, and should hear of the failure first.
    close: async () => transport.onclose?.(),
    setProtocolVersion(version) {
      host.setProtocolVersion?.(version);
      init.onProtocolVersion(version);
    },
    // The SDK tells a single channel, where silence means an old server, from HTTP by the presence of these two.
    ...(host.hasPerRequestStream === true ? { hasPerRequestStream: true } : { pid: undefined, stderr: undefined }),
  };
  const state: State = {
    ...init,
    transport,
    sent: new Map(),
    served: new Set(),
    isProbeAnswered: false,
    didInitialize: false,
    nextProbeId: firstProbeId,
  };
  return {
    transport,
    get isProbeAnswered() {
      return state.isProbeAnswered;
    },
    get didInitialize() {
      return state.didInitialize;
    },
    get handshakeId() {
      for (const [id, { method }] of state.sent) if (method === "initialize" || method === "server/discover") return id;
      return undefined;
    },
    answer: (id, message) => answer(state, id, message),
    fail: (id, error) => fail(state, id, error),
    receiveRequest: (id, method, message) => receiveRequest(state, { id, method, params: message["params"] }),
    receiveNotification: (method, message) => receiveNotification(state, method, message),
  };
}

async function send(state: State, message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
  const { requestSignal, headers } = options ?? {};
  const sendOptions = { requestSignal, headers };
  if (!("method" in message)) {
    if (message.id !== undefined) state.served.delete(message.id);
    return state.host.send(message, sendOptions);
  }
  if (!("id" in message)) {
    const cancelled = message.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    if (isRequestId(cancelled)) state.sent.delete(cancelled);
    state.onNotified();
    return state.host.send(message, sendOptions);
  }
  const { id, method } = message;
  const wireId = method === "server/discover" && typeof id === "string" ? state.nextProbeId++ : id;
  state.sent.set(wireId, { id, method });
  if (method === "initialize") state.didInitialize = true;
  try {
    await state.host.send(wireId === id ? message : { ...message, id: wireId }, sendOptions);
  } catch (error) {
    state.sent.delete(wireId);
    throw error;
  }
}

function answer(state: State, id: unknown, message: JsonObject): boolean {
  const request = isRequestId(id) ? state.sent.get(id) : undefined;
  if (!isRequestId(id) || request === undefined) return false;
  const { method } = request;
  const read = method === "initialize" ? readInitialize(message) : readAnswer(message);
  if (read.kind === "malformed") {
    fail(state, id, malformedError(state, method, read.reason));
    return true;
  }
  state.sent.delete(id);
  if (method === "server/discover") state.isProbeAnswered = true;
  // Rebuilt, because the SDK does not recognise an answer with members it does not know.
  const body = read.kind === "result" ? { result: read.result } : { error: read.error };
  deliver(state, { jsonrpc: "2.0", id: request.id, ...body });
  return true;
}

function readInitialize(message: JsonObject): Answer {
  const read = readAnswer(message);
  if (read.kind !== "result") return read;
  const { result, fault } = repairInitialize(read.result);
  return fault === undefined ? { kind: "result", result } : { kind: "malformed", reason: fault };
}

function malformedError({ context }: State, method: string, reason: string): ToolportError {
  const { serverId } = context;
  const isHandshake = method === "initialize" || method === "server/discover";
  return new ToolportError(
    `server ${JSON.stringify(serverId)} answered ${method} with something malformed: ${reason}`,
    {
      code: isHandshake ? "handshake_failed" : "protocol_error",
      serverId,
      details: { operation: method },
    },
  );
}

function fail(state: State, id: RequestId, error: ToolportError): void {
  const request = state.sent.get(id);
  if (request === undefined) return;
  state.sent.delete(id);
  // The error itself travels as the data; from-sdk-error.ts takes it out again.
  const body = { code: internalError, message: error.rawMessage, data: error };
  deliver(state, { jsonrpc: "2.0", id: request.id, error: body });
}

function receiveRequest(state: State, request: { id: unknown; method: string; params: unknown }): void {
  const { id, method, params } = request;
  if (!isRequestId(id)) return;
  // 2026-07-28 has no requests from server to client, and an answer to one would be an error of its own.
  if (state.isModern()) return;
  if (state.served.size >= mostServedRequests && !state.served.has(id)) {
    const error = { code: internalError, message: "Too many requests at once" };
    // The server's request is refused; if it cannot even be told, its connection is about to end anyway.
    state.host.send({ jsonrpc: "2.0", id, error }).then(undefined, () => undefined);
    return;
  }
  state.served.add(id);
  deliver(state, { jsonrpc: "2.0", id, method, ...(isJsonObject(params) && { params }) });
}

function receiveNotification(state: State, method: string, message: JsonObject): boolean {
  const params = isJsonObject(message["params"]) ? message["params"] : undefined;
  if (method === "notifications/cancelled") {
    const id = params?.["requestId"];
    if (!isRequestId(id)) return true;
    // The SDK stops working on the request and will not answer it, or it is the end of a subscription.
    if (state.served.delete(id) || state.sent.delete(id))
      deliver(state, { jsonrpc: "2.0", method, ...(params && { params }) });
    return true;
  }
  if (method !== "notifications/subscriptions/acknowledged") return false;
  const meta = params?.["_meta"];
  const id = isJsonObject(meta) ? meta["io.modelcontextprotocol/subscriptionId"] : undefined;
  if (typeof id === "string" && state.sent.has(id))
    deliver(state, { jsonrpc: "2.0", method, ...(params && { params }) });
  return true;
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "number" || typeof id === "string";
}

function deliver(state: State, message: object): void {
  // Built above member by member; the SDK's type also names what may stand in `params` and `result`.
  state.transport.onmessage?.(message as JSONRPCMessage);
}
