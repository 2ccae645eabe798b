import { isHostsideError, type HostsideError, type HostsideErrorCode } from "@hostside/core";
import { isJsonObject, withErrorContext } from "@hostside/core/implement";
import type { RequestId } from "../../message/transport.ts";
import { type ReadingContext, acceptAnswer, isSameId } from "../events/message-parser.ts";
import { replyKindOf, type Cancellable, type HttpCall, type HttpReply } from "../exchange/http-exchange.ts";
import { type LingerWatch, startWait } from "../../time/cancellable-wait.ts";
import { asExchangeError, noAnswer, notResumed, noStream, streamEnded } from "../exchange/answer-error.ts";
import { isConnectionRefused } from "../exchange/from-fetch-error.ts";
import type { SessionUse } from "../exchange/from-http-status.ts";
import { isPassing, reconnectDelayMs, StreamPosition } from "./reconnect-back-off.ts";
import { readRemark } from "../exchange/read-body.ts";

/** The input of {@linkcode readAnswerStream}. */
export interface AnswerStreamInit {
  readonly reading: ReadingContext;
  readonly id: RequestId;
  readonly session: SessionUse;
  /** Asks for what comes after the event with this id. Absent where streams cannot be resumed. */
  readonly resume: ((lastEventId: string) => HttpCall) | undefined;
  /** Ends streams that go on after their answer. */
  readonly lingerWatch: LingerWatch;
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
    const delayMs = reconnectDelayMs({ barren, serverMs: position.retryMs });
    const wait = startWait(delayMs);
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
        cancelLinger = state.lingerWatch.add(reply);
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
