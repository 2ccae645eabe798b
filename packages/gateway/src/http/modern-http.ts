import type { JsonObject } from "@hostside/core";
import { isJsonObject, modernRevision } from "@hostside/core/implement";
import { openFailure } from "../clients/clients.ts";
import { corsHeaders, HttpRefusal } from "./authenticate-request.ts";
import { checkHeaders, checkRevision, checkParamHeaders } from "./check-headers.ts";
import type { HeldPeer, HttpParts } from "./held-peers.ts";
import { onGone } from "./http-exchange.ts";
import { createPostAnswer } from "./post-answer.ts";
import {
  invalidRequest,
  rpcCodes,
  type ReadMessage,
  type RequestMessage,
  type RpcFailure,
  requestEndedError,
} from "../message/json-rpc.ts";
import { missing, readRequestEnvelope, unsupported, type RequestEnvelope, metaKeys, metaOf } from "../message/meta.ts";

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
  const opening = openings(parts);
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

const underWay = new WeakMap<HttpParts["held"], Map<string, Promise<HeldPeer>>>();

/** Clients that open now: requests that come together share one. */
function openings({ held }: HttpParts): Map<string, Promise<HeldPeer>> {
  const known = underWay.get(held) ?? new Map<string, Promise<HeldPeer>>();
  underWay.set(held, known);
  return known;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 256) : "";
}
