import type { JsonObject } from "@hostside/core";
import { isJsonObject, legacyRevisions, modernRevision } from "@hostside/core/implement";
import { openFailure, openLegacy } from "../clients/clients.ts";
import { corsHeaders, HttpRefusal } from "./authenticate-request.ts";
import { checkHeaders, checkParamHeaders, checkRevision } from "./check-headers.ts";
import type { HeldPeer, HttpParts } from "./held-peers.ts";
import { onGone } from "./http-exchange.ts";
import { accepts, createPostAnswer, openEventStream } from "./post-answer.ts";
import type { MessageSink } from "../message/active-request.ts";
import {
  checkBatch,
  errorMessage,
  giveUpCancelled,
  invalidRequest,
  requestEndedError,
  resultMessage,
  rpcCodes,
  type MessageBatch,
  type ReadMessage,
  type RequestMessage,
  type RpcFailure,
  writeMessage,
} from "../message/json-rpc.ts";
import { metaKeys, metaOf, missing, readRequestEnvelope, unsupported, type RequestEnvelope } from "../message/meta.ts";

/**
 * Answers a message of a revision with sessions.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function answerLegacyPost(parts: HttpParts, read: ReadMessage): Promise<void> {
  const { exchange } = parts;
  if (read.kind === "invalid") throw HttpRefusal.of(400, invalidRequest(read.reason), read.id);
  if (read.kind === "request" && read.request.method === "initialize") return initialize(parts, read.request);
  const session = findSession(parts);
  const leave = parts.held.use(session);
  try {
    if (read.kind !== "request") {
      take(session, read);
      return exchange.reply(202, corsHeaders(exchange));
    }
    const answer = createPostAnswer(parts);
    answer.finish(await answerSessionRequest(session, read.request, answer.sink));
  } finally {
    leave();
  }
}

/** The answers of a batch go out as they come. */
export async function answerLegacyBatch(parts: HttpParts, batch: MessageBatch): Promise<void> {
  const session = findSession(parts);
  const problem = checkBatch(batch, session.revision);
  if (problem !== undefined) throw HttpRefusal.of(400, problem);
  const leave = parts.held.use(session);
  try {
    for (const read of batch.messages) take(session, read);
    const asking = batch.messages.filter(({ kind }) => kind === "request" || kind === "invalid");
    if (asking.length === 0) return parts.exchange.reply(202, corsHeaders(parts.exchange));
    const stream = openEventStream(parts);
    await Promise.all(
      asking.map(async (read) => {
        if (read.kind === "invalid") stream.send(errorMessage(read.id, invalidRequest(read.reason)));
        if (read.kind !== "request") return;
        const answer = await answerSessionRequest(session, read.request, stream);
        if (answer !== undefined) stream.send(answer);
      }),
    );
    stream.end();
  } finally {
    leave();
  }
}

async function initialize(parts: HttpParts, { id, params }: RequestMessage): Promise<void> {
  const { exchange, clients, held, principal, owner } = parts;
  try {
    const { peer, revision, result } = await openLegacy(clients, params, { transport: "http", principal, owner });
    const key = crypto.randomUUID();
    await held.add({ key, peer, owner, revision });
    const headers = { ...corsHeaders(exchange), "content-type": "application/json", "mcp-session-id": key };
    exchange.reply(200, headers, writeMessage(resultMessage(id, result)));
  } catch (error) {
    const { status, failure } = openFailure(error);
    throw HttpRefusal.of(status, failure, id);
  }
}

/** The session that a request names. Throws an {@linkcode HttpRefusal} where it cannot be used. */
function findSession({ exchange, held, owner }: HttpParts): HeldPeer {
  const version = exchange.header("mcp-protocol-version");
  if (version !== undefined && !legacyRevisions.includes(version)) {
    throw new HttpRefusal(400, "Bad request: this MCP-Protocol-Version is not supported");
  }
  const key = exchange.header("mcp-session-id");
  if (key === undefined) throw new HttpRefusal(400, "Bad request: there is no Mcp-Session-Id; initialize first");
  const session = held.get(key);
  // To everybody else it is as if it were not there.
  if (session !== undefined && session.owner === owner && session.revision !== undefined) return session;
  throw new HttpRefusal(404, "Session not found");
}

/** Takes a message that has no answer. */
function take(session: HeldPeer, read: ReadMessage): void {
  if (read.kind === "response") session.peer.answer(read.id, read.message);
  if (read.kind === "notification") giveUpCancelled(read, session.stops);
}

/** A client that is away has not given up: it says so when it does. */
async function answerSessionRequest(
  session: HeldPeer,
  request: RequestMessage,
  sink: MessageSink,
): Promise<JsonObject | undefined> {
  const stop = new AbortController();
  // The later one of two with the same id is the one that can be cancelled.
  session.stops.delete(request.id);
  session.stops.set(request.id, stop);
  try {
    return await session.peer.handle(request, { sink, stop });
  } finally {
    if (session.stops.get(request.id) === stop) session.stops.delete(request.id);
  }
}

/**
 * The stream of what a session hears unasked. A later one takes the place of an earlier one, whose
 * client may be gone without a word.
 */
export function openSessionStream(parts: HttpParts): void {
  const { exchange, held } = parts;
  if (!accepts(exchange.header("accept"), "text/event-stream")) {
    throw new HttpRefusal(406, "Not acceptable: a GET is answered with text/event-stream");
  }
  const session = findSession(parts);
  for (const earlier of Array.from(session.streams)) earlier.end();
  const stream = openEventStream(parts);
  const leave = held.use(session);
  const { news } = session.peer.context;
  const over = (): void => {
    leave();
    session.streams.delete(own);
    if (news.stream === own) news.setStream(undefined);
  };
  const own: typeof stream = {
    get isOver() {
      return stream.isOver === true;
    },
    send: (message, weight) => stream.send(message, weight),
    end() {
      over();
      stream.end();
    },
  };
  session.streams.add(own);
  onGone(exchange, over);
  news.setStream(own);
  session.peer.listensAnew();
}

/** `DELETE`: the client needs its session no more. */
export async function endSession(parts: HttpParts): Promise<void> {
  const session = findSession(parts);
  await parts.held.remove(session, "the client ended it");
  parts.exchange.reply(200, corsHeaders(parts.exchange));
}

/** True if a message says that it is of 2026-07-28, or of a revision after it. */
export function isModernPost(read: ReadMessage): boolean {
  const params = read.kind === "request" ? read.request.params : read.kind === "notification" ? read.params : undefined;
  return params !== undefined && metaOf(params)?.[metaKeys.protocolVersion] !== undefined;
}

/**
 * Answers a message of 2026-07-28, each by itself.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export async function answerModernPost(parts: HttpParts, read: ReadMessage): Promise<void> {
  const { exchange } = parts;
  const refuse = (failure: RpcFailure | undefined, status = 400): void => {
    if (failure !== undefined)
      throw HttpRefusal.of(status, failure, read.kind === "request" ? read.request.id : undefined);
  };
  if (read.kind === "notification") return exchange.reply(202, corsHeaders(exchange));
  if (read.kind !== "request") {
    const reason = read.kind === "invalid" ? read.reason : "in this revision a client answers nothing";
    return refuse(invalidRequest(reason));
  }
  const { request } = read;
  refuse(checkRevision(exchange, request));
  const envelope = readRequestEnvelope(request.params);
  if (envelope.kind === "refused") return refuse(envelope.failure);
  if (envelope.kind === "none") {
    const version = exchange.header("mcp-protocol-version") ?? "";
    return refuse(version === modernRevision ? missing(metaKeys.protocolVersion) : unsupported(version));
  }
  refuse(checkHeaders(exchange, request));
  let held: HeldPeer;
  try {
    held = await peerOf(parts, envelope.envelope);
  } catch (error) {
    const { failure, status } = openFailure(error);
    return refuse(failure, status);
  }
  refuse(checkArguments(parts, held, request));
  return answerRequest(parts, held, request);
}

/** A client repeats arguments in headers where the schema that it was given says so. */
function checkArguments(
  { exchange }: HttpParts,
  held: HeldPeer,
  { method, params }: RequestMessage,
): RpcFailure | undefined {
  const { name, arguments: args } = params;
  if (method !== "tools/call" || typeof name !== "string") return undefined;
  const definition = held.peer.context.exposed.find(name);
  return definition === undefined ? undefined : checkParamHeaders(exchange, definition.inputSchema, args);
}

async function answerRequest(parts: HttpParts, held: HeldPeer, request: RequestMessage): Promise<void> {
  const { exchange, settings } = parts;
  const leave = parts.held.use(held);
  const stop = new AbortController();
  // Whoever closes the stream has given the request up.
  const ignore = onGone(exchange, () => stop.abort(new Error("cancelled by the client")));
  const isListening = request.method === "subscriptions/listen";
  const stream = { send: () => false, end: () => stop.abort(requestEndedError("the client was closed")) };
  try {
    const { limits } = settings;
    if (isListening && held.streams.size >= limits.maxStreamsPerSession) {
      const message = `No more than ${limits.maxStreamsPerSession} streams at a time`;
      throw HttpRefusal.of(200, { code: rpcCodes.refused, message }, request.id);
    }
    if (isListening) held.streams.add(stream);
    const answer = createPostAnswer(parts);
    const message = await held.peer.handle(request, { sink: answer.sink, stop });
    answer.finish(message, statusOf(message));
  } finally {
    held.streams.delete(stream);
    ignore();
    leave();
  }
}

/**
 * A method that there is not is a page that there is not, and what a client cannot ask for is a bad
 * request; everything else that went wrong is an answer.
 */
function statusOf(message: JsonObject | undefined): number {
  const error = message?.["error"];
  if (!isJsonObject(error)) return 200;
  return error["code"] === rpcCodes.methodNotFound ? 404 : error["code"] === rpcCodes.missingCapability ? 400 : 200;
}

/**
 * The client that a request belongs to. There is no session in this revision: it is whose token it
 * is, and which program it says to be, so that what one request kept a later one finds.
 */
async function peerOf(parts: HttpParts, { info, capabilities }: RequestEnvelope): Promise<HeldPeer> {
  const { clients, held, principal, owner } = parts;
  const { name, version } = isJsonObject(info) ? info : {};
  const key = JSON.stringify([owner ?? null, text(name), text(version)]);
  const known = held.get(key);
  if (known !== undefined) return known;
  const { opening } = held;
  let opened = opening.get(key);
  if (opened === undefined) {
    opened = clients
      .open({ era: "modern", transport: "http", principal, owner, info, capabilities })
      .then((peer) => held.add({ key, peer, owner, revision: undefined }))
      .finally(() => opening.delete(key));
    opening.set(key, opened);
  }
  return opened;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 256) : "";
}
