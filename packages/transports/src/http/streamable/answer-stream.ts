import { isHostsideError, type HostsideError, type HostsideErrorCode, type JsonObject } from "@hostside/core";
import { clock, isJsonObject, withErrorContext, utf8Length } from "@hostside/core/implement";
import type { RequestId } from "../../message/transport.ts";
import { type ReadingContext, acceptAnswer, isSameId, brokenBytesRead } from "../events/message-parser.ts";
import {
  replyKindOf,
  type Cancellable,
  type HttpCall,
  type HttpReply,
  type ReplyKind,
} from "../exchange/http-exchange.ts";
import { lingerMs } from "../events/http-transport.ts";
import { startWait } from "../../time/cancellable-wait.ts";
import {
  asExchangeError,
  noAnswer,
  notResumed,
  noStream,
  streamEnded,
  describeReply,
  messageTooLarge,
} from "../exchange/answer-error.ts";
import { isConnectionRefused } from "../exchange/from-fetch-error.ts";
import type { SessionUse } from "../exchange/from-http-status.ts";
import { isPassing, reconnectDelayMs, StreamPosition } from "./reconnect-back-off.ts";
import { readRemark, decodeBody, readBytes } from "../exchange/read-body.ts";
import { admitText, isUtf8 } from "../../message/bound-message.ts";
import { parseJson } from "../../text/safe-excerpt.ts";

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

/** The input of {@linkcode readAnswerStream}. */
export interface AnswerStreamInit extends AwaitedReply {
  /** Asks for what comes after the event with this id. Absent where streams cannot be resumed. */
  readonly resume: ((lastEventId: string) => HttpCall) | undefined;
  /** Told what is waited for now, so that it can be taken back. */
  readonly onStep: (step: Cancellable) => void;
}

interface State extends AnswerStreamInit {
  isAnswered: boolean;
  readonly position: StreamPosition;
}

// Attempts in a row that bring nothing. The waits before them add up to half a minute.
const maxBarren = 5;
// Attempts in a row at an address where nobody listens any more: a server that restarts has seldom
// kept the stream. Some four seconds.
const maxRefused = 3;

// What ends a stream without being the last word on the request.
const lossCodes: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "connection_closed",
  "dns_failed",
  "tls_failed",
  "unreachable",
]);

/**
 * Reads the event stream that answers a request, and what else comes on it, to its end. A stream
 * that breaks off, and that had an event id, is resumed after the time that the server asked for.
 * Resolves after the answer. Rejects when there will be none: with `connection_closed`, which says
 * why it could not be resumed if that was tried, `message_too_large`, what the server refused to
 * resume with, or the reason of a `cancel`. The outcome is `unknown` then, because the server took
 * the request.
 */
export async function readAnswerStream(first: HttpReply, init: AnswerStreamInit): Promise<void> {
  try {
    await followAnswer(first, { ...init, isAnswered: false, position: new StreamPosition() });
  } catch (error) {
    throw afterTaken(asExchangeError(error, init.reading.endpoint));
  }
}

async function followAnswer(first: HttpReply, state: State): Promise<void> {
  const { resume, position, reading } = state;
  const { endpoint } = reading;
  let loss = await readStream(first, state);
  let broken = loss;
  for (let barren = 0, refused = 0; loss !== undefined;) {
    const { lastEventId } = position;
    if (resume === undefined || lastEventId === undefined) throw loss;
    if (barren > maxBarren || refused >= maxRefused)
      throw lossCodes.has(loss.code) ? notResumed(endpoint, { broken, last: loss, attempts: barren }) : loss;
    const wait = startWait(reconnectDelayMs(barren, position.retryMs));
    state.onStep(wait);
    await wait.done;
    const call = resume(lastEventId);
    state.onStep(call);
    loss = await call.reply.then((reply) => readResumed(reply, state), toLoss);
    refused = loss !== undefined && isConnectionRefused(loss) ? refused + 1 : 0;
    barren = position.lastEventId === lastEventId ? barren + 1 : 0;
    if (barren === 0) broken = loss;
  }
}

/** Returns why the stream ended without the answer; `undefined` when the answer came. */
async function readStream(reply: HttpReply, state: State): Promise<HostsideError | undefined> {
  const { reading, id } = state;
  const { endpoint, sink } = reading;
  let cancelLinger = (): void => {};
  try {
    await state.position.read(reply, {
      reading,
      onBrokenAnswer(given, what, error) {
        if (state.isAnswered || !isSameId(given, id))
          return sink.onAnomaly(`an answer to another request that is ${what}`);
        throw error;
      },
      onJson(json, bytes) {
        if (isAnonymous(json) && !state.isAnswered) throw noAnswer(endpoint, "an answer without an id", "");
        if (!acceptAnswer(json, id, { sink, bytes }) || state.isAnswered) return;
        state.isAnswered = true;
        // The stream should end now.
        cancelLinger = clock.schedule(lingerMs, () => reply.cancel());
      },
    });
    return state.isAnswered ? undefined : streamEnded(endpoint);
  } catch (error) {
    return state.isAnswered ? undefined : toLoss(error);
  } finally {
    cancelLinger();
  }
}

// No other request could be meant by it, and waiting for a better one would be in vain.
function isAnonymous(json: unknown): boolean {
  return isJsonObject(json) && !("method" in json) && (json["id"] ?? undefined) === undefined && "result" in json;
}

async function readResumed(reply: HttpReply, state: State): Promise<HostsideError | undefined> {
  const { endpoint } = state.reading;
  const { status } = reply;
  if (replyKindOf(reply) === "events") return readStream(reply, state);
  const error = noStream(endpoint, await readRemark(reply), state.session);
  if (!isPassing(status)) throw error;
  state.position.retryMs = error.details.retryAfterMs ?? state.position.retryMs;
  return error;
}

function toLoss(error: unknown): HostsideError {
  if (!isHostsideError(error) || !lossCodes.has(error.code)) throw error;
  return error;
}

// Whatever keeps the rest of the answer away, be it a new connection that fails, a refusal, or
// credentials that cannot be had: the request that the stream answers was sent, and may run.
function afterTaken(error: HostsideError): HostsideError {
  return error.outcome === "unknown" ? error : withErrorContext(error, { outcome: "unknown" });
}
