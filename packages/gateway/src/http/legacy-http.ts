import { legacyRevisions } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";
import { openFailure, openLegacy } from "../clients/clients.ts";
import { corsHeaders, HttpRefusal } from "./authenticate-request.ts";
import type { HeldPeer, HttpParts } from "./held-peers.ts";
import { onGone } from "./http-exchange.ts";
import { openEventStream, accepts, createPostAnswer } from "./post-answer.ts";
import type { MessageSink } from "../message/active-request.ts";
import {
  checkBatch,
  errorMessage,
  giveUpCancelled,
  invalidRequest,
  resultMessage,
  type MessageBatch,
  type ReadMessage,
  type RequestMessage,
  writeMessage,
} from "../message/json-rpc.ts";

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
    answer.finish(await answerRequest(session, read.request, answer.sink));
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
        const answer = await answerRequest(session, read.request, stream);
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
async function answerRequest(
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
