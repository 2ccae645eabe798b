import type { JsonObject } from "@hostside/core";
import { closingFailure, openFailure, openLegacy, type Clients, type OpenedLegacy } from "../clients/clients.ts";
import type { Peer } from "../clients/peer.ts";
import type { MessageSink, MessagePriority } from "../message/active-request.ts";
import {
  checkBatch,
  errorMessage,
  giveUpCancelled,
  invalidRequest,
  parseMessage,
  resultMessage,
  rpcCodes,
  type MessageBatch,
  type ReadMessage,
  type RequestId,
  type RequestMessage,
  isContinuation,
  requestEndedError,
  writeMessage,
} from "../message/json-rpc.ts";
import { metaKeys, missing, readRequestEnvelope, type RequestEnvelope } from "../message/meta.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";

/**
 * One client over a connection of its own, such as the pipes of a process: both eras, message by
 * message.
 */
export interface MessageConnection {
  /** A message came in, as text. Never throws. */
  receive(text: string): void;
  /** Answers a message that could not be read. */
  refuse(reason: string): void;
  /**
   * Nothing more comes from the client, which may still read: what waits for an answer of its user
   * gets none, and what only listens ends. Resolves when all that came is answered. Idempotent,
   * never rejects.
   */
  finish(): Promise<void>;
  /** The client is gone, or is to go. Idempotent, never rejects. */
  close(reason: string): Promise<void>;
}

/** Takes a message to the client. `false`: it is gone, or has no room for what is spare. */
export type SendText = (text: string, weight: MessagePriority) => boolean;

interface State {
  readonly clients: Clients;
  readonly maxBodyValues: number;
  readonly sink: MessageSink;
  /** The requests that can be cancelled, by the client's id. */
  readonly stops: Map<RequestId, AbortController>;
  /** The requests of them that only listen. */
  readonly listening: Set<AbortController>;
  /** Messages that are not answered yet. */
  waiting: number;
  onAnswered: (() => void) | undefined;
  legacy: Promise<OpenedLegacy> | undefined;
  /** Once it is there: so that a message does not wait for what is settled. */
  opened: OpenedLegacy | undefined;
  modern: Promise<Peer> | undefined;
  modernPeer: Peer | undefined;
  finishing: Promise<void> | undefined;
  closing: Promise<void> | undefined;
}

/** Makes it. */
export function createMessageConnection(
  clients: Clients,
  { maxBodyValues }: Pick<GatewayLimits, "maxBodyValues">,
  { send, onClosed }: { readonly send: SendText; readonly onClosed: (reason: string) => void },
): MessageConnection {
  const state: State = {
    clients,
    maxBodyValues,
    sink: {
      send(message, weight = "needed") {
        const text = writeMessage(message);
        return text !== undefined && send(text, weight);
      },
    },
    stops: new Map(),
    listening: new Set(),
    waiting: 0,
    onAnswered: undefined,
    legacy: undefined,
    opened: undefined,
    modern: undefined,
    modernPeer: undefined,
    finishing: undefined,
    closing: undefined,
  };
  return {
    receive: (text) => receive(state, text),
    refuse: (reason) => refuse(state, reason),
    finish: () => (state.finishing ??= finish(state)),
    close: (reason) => (state.closing ??= close(state, reason).finally(() => onClosed(reason))),
  };
}

function refuse(state: State, reason: string): void {
  state.sink.send(errorMessage(undefined, { code: rpcCodes.parseError, message: reason }));
}

function receive(state: State, text: string): void {
  if (state.closing !== undefined || state.finishing !== undefined) return;
  const read = parseMessage(text, state.maxBodyValues);
  if (read.kind === "unread") return refuse(state, read.reason);
  const answer = read.kind === "batch" ? answerBatch(state, read) : answerOne(state, read);
  if (answer instanceof Promise) void sendLater(state, answer);
  else if (answer !== undefined) state.sink.send(answer);
}

async function sendLater(state: State, answer: Promise<JsonObject | undefined>): Promise<void> {
  state.waiting += 1;
  const message = await answer;
  if (message !== undefined) state.sink.send(message);
  state.waiting -= 1;
  if (state.waiting === 0) state.onAnswered?.();
}

async function answerBatch(state: State, batch: MessageBatch): Promise<JsonObject | undefined> {
  const problem = checkBatch(batch, state.opened?.revision);
  if (problem !== undefined) return errorMessage(undefined, problem);
  const answers = await Promise.all(batch.messages.map(async (message) => answerOne(state, message)));
  const said = answers.filter((answer) => answer !== undefined);
  return said.length > 0 ? (said as unknown as JsonObject) : undefined;
}

/**
 * Answers a message. Nothing answers a notification, a response, or what was cancelled. Never
 * rejects.
 */
function answerOne(state: State, read: ReadMessage): Promise<JsonObject | undefined> | JsonObject | undefined {
  switch (read.kind) {
    case "invalid":
      return errorMessage(read.id, invalidRequest(read.reason));
    case "response":
      state.opened?.peer.answer(read.id, read.message);
      return undefined;
    case "notification":
      if (read.method === "notifications/initialized") state.opened?.peer.context.news.setStream(state.sink);
      giveUpCancelled(read, state.stops);
      return undefined;
    case "request":
      return answerRequest(state, read.request);
  }
}

async function answerRequest(state: State, request: RequestMessage): Promise<JsonObject | undefined> {
  const { id, method, params } = request;
  const read = readRequestEnvelope(params);
  if (read.kind === "refused") return errorMessage(id, read.failure);
  if (state.stops.has(id)) return errorMessage(id, invalidRequest("its id is in use"));
  if (state.clients.isEnding && !isContinuation(request)) return errorMessage(id, closingFailure);
  const stop = new AbortController();
  state.stops.set(id, stop);
  if (method === "subscriptions/listen") state.listening.add(stop);
  try {
    if (read.kind === "none" && method === "initialize") return await initialize(state, request);
    const peer = read.kind === "modern" ? await modernPeer(state, read.envelope) : await legacyPeer(state, method);
    if (peer !== undefined) return await peer.handle(request, { sink: state.sink, stop });
    // Anybody may ask whether somebody is there.
    return method === "ping" ? resultMessage(id, {}) : errorMessage(id, missing(metaKeys.protocolVersion));
  } catch (error) {
    return errorMessage(id, openFailure(error).failure);
  } finally {
    state.listening.delete(stop);
    state.stops.delete(id);
  }
}

async function initialize(state: State, { id, params }: RequestMessage): Promise<JsonObject> {
  if (state.legacy !== undefined) return errorMessage(id, invalidRequest("initialized already"));
  state.legacy = openLegacy(state.clients, params, { transport: "stdio" });
  try {
    state.opened = await state.legacy;
  } catch (error) {
    state.legacy = undefined;
    throw error;
  }
  if (state.finishing !== undefined) state.opened.peer.endQuestions();
  return resultMessage(id, state.opened.result);
}

async function legacyPeer(state: State, method: string): Promise<Peer | undefined> {
  const opened = state.opened ?? (await state.legacy);
  // Some clients never say that they are initialized.
  if (opened !== undefined && method !== "ping" && opened.peer.context.news.stream === undefined) {
    opened.peer.context.news.setStream(state.sink);
  }
  return opened?.peer;
}

async function modernPeer(state: State, { info, capabilities }: RequestEnvelope): Promise<Peer> {
  if (state.modernPeer !== undefined) return state.modernPeer;
  state.modern ??= state.clients.open({ era: "modern", transport: "stdio", info, capabilities });
  try {
    state.modernPeer = await state.modern;
    if (state.finishing !== undefined) state.modernPeer.endQuestions();
    return state.modernPeer;
  } catch (error) {
    state.modern = undefined;
    throw error;
  }
}

async function finish(state: State): Promise<void> {
  state.opened?.peer.endQuestions();
  state.modernPeer?.endQuestions();
  for (const stop of Array.from(state.listening)) stop.abort(requestEndedError("the client says nothing more"));
  if (state.waiting === 0) return;
  await new Promise<void>((resolve) => {
    state.onAnswered = resolve;
  });
}

async function close(state: State, reason: string): Promise<void> {
  for (const stop of state.stops.values()) stop.abort(requestEndedError(reason));
  const opening = [state.legacy?.then(({ peer }) => peer), state.modern];
  await Promise.all(
    opening.map(async (peer) => {
      const opened = await peer?.catch(() => undefined);
      if (opened !== undefined) await state.clients.close(opened, reason);
    }),
  );
}
