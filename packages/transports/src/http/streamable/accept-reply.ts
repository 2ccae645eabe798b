import type { JsonObject, HostsideErrorCode } from "@hostside/core";
import { isJsonObject, utf8Length } from "@hostside/core/implement";
import type { RequestId } from "../../message/transport.ts";
import { admitText, isUtf8 } from "../../message/bound-message.ts";
import { type ReadingContext, acceptAnswer, brokenBytesRead } from "../events/message-parser.ts";
import { describeReply, messageTooLarge, noAnswer } from "../exchange/answer-error.ts";
import type { SessionUse } from "../exchange/from-http-status.ts";
import type { HttpReply, ReplyKind } from "../exchange/http-exchange.ts";
import { decodeBody, readBytes, readRemark } from "../exchange/read-body.ts";

/** The request that a reply belongs to. */
export interface AwaitedReply {
  readonly reading: ReadingContext;
  readonly id: RequestId;
  readonly session: SessionUse;
}

/**
 * Takes the answer from a reply that has come whole. Throws as {@linkcode acceptReply}. `false`
 * where the reply has to be read, and nothing has happened yet: it is on its way, or no plain
 * answer.
 */
export function acceptWhole(reply: HttpReply, kind: ReplyKind, awaited: AwaitedReply): boolean {
  if (kind !== "json" && kind !== "events") return false;
  const bytes = reply.whole();
  if (bytes === undefined) return false;
  if (kind === "events") return acceptLoneAnswer(bytes, awaited);
  const { endpoint, limits } = awaited.reading;
  const { maxMessageBytes } = limits;
  if (bytes.length > maxMessageBytes) throw messageTooLarge(endpoint, maxMessageBytes);
  takeJson(bytes, awaited);
  return true;
}

const loneEvent = /^(?:event: message\r?\n)?(?:id: [^\r\n]*\r?\n)?data: ([^\r\n]*)\r?\n\r?\n$/;

/**
 * Takes the answer from a stream that is one event and nothing else, as most servers send it: no
 * parser has to be made. `false` for whatever else it may be; nothing has happened then.
 */
function acceptLoneAnswer(bytes: Uint8Array, { reading, id }: AwaitedReply): boolean {
  const { maxMessageBytes, maxMessageValues } = reading.limits;
  const text = decodeBody(bytes);
  const [, data] = bytes.length > maxMessageBytes ? [] : (loneEvent.exec(text) ?? []);
  // A message with a method is the server's; broken bytes are to be told of.
  if (data === undefined || data.includes('"method"') || data.includes("\uFFFD")) return false;
  const admitted = admitText(data, { serverId: "", maxMessageValues });
  const message = admitted.fault === undefined ? admitted.json : undefined;
  if (!isJsonObject(message) || message["id"] !== id || "method" in message) return false;
  reading.sink.deliver(message, undefined, text.length === bytes.length ? data.length : utf8Length(data));
  return true;
}

/**
 * Takes the answer from a reply that is no stream. Throws at once when it is not in there, because
 * it will come by no other way: `protocol_error`, `message_too_large`, what the status means, or
 * what broke the exchange.
 */
export function acceptReply(reply: HttpReply, kind: ReplyKind, awaited: AwaitedReply): Promise<void> {
  switch (kind) {
    case "json":
      return acceptJson(reply, awaited);
    case "refused":
      return acceptRefusal(reply, awaited);
    case "accepted":
    case "events":
    case "other":
      return rejectOther(reply, awaited);
  }
}

async function rejectOther(reply: HttpReply, { reading }: AwaitedReply): Promise<never> {
  const { body } = await readRemark(reply);
  throw noAnswer(reading.endpoint, describeReply(reply, reading.endpoint), body);
}

async function acceptJson(reply: HttpReply, awaited: AwaitedReply): Promise<void> {
  const { endpoint, limits } = awaited.reading;
  const { maxMessageBytes } = limits;
  takeJson(await readBytes(reply, maxMessageBytes, () => messageTooLarge(endpoint, maxMessageBytes)), awaited);
}

function takeJson(bytes: Uint8Array, { id, reading }: AwaitedReply): void {
  const { endpoint, limits, sink } = reading;
  const text = decodeBody(bytes);
  if (!isUtf8(bytes, text)) sink.onAnomaly("an answer that is not valid UTF-8", brokenBytesRead);
  const admitted = admitText(text, { ...limits, serverId: endpoint.serverId });
  if (admitted.fault !== undefined)
    throw (
      admitted.excess ?? noAnswer(endpoint, text === "" ? "an empty body" : `a body that is ${admitted.fault}`, text)
    );
  if (!acceptAnswer(admitted.json, id, { sink, bytes: bytes.length }))
    throw noAnswer(endpoint, "JSON for something else", text);
}

// What the status says cannot be said better by a body.
const finalCodes: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "auth_required",
  "forbidden",
  "rate_limited",
  "redirect_refused",
]);
const sessionNotFound = -32_001;

// Servers of 2026-07-28 put a JSON-RPC error under an HTTP status that matches it.
async function acceptRefusal(reply: HttpReply, awaited: AwaitedReply): Promise<void> {
  const { id, reading, session } = awaited;
  const { endpoint, sink } = reading;
  const refusal = await readRemark(reply);
  const error = endpoint.toError(refusal, session);
  const answer = parseJson(refusal.body);
  if (finalCodes.has(error.code) || !isErrorAnswer(answer, id)) throw error;
  if (error.code === "session_expired" && error.details.rpcCode === sessionNotFound) throw error;
  sink.deliver(answer, undefined, utf8Length(refusal.body));
}

function isErrorAnswer(json: unknown, id: RequestId): json is JsonObject {
  return isJsonObject(json) && json["id"] === id && isJsonObject(json["error"]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
