import type { RequestId } from "@modelcontextprotocol/client";
import {
  isToolportError,
  withErrorContext,
  type Random,
  type ToolportError,
  type ToolportErrorCode,
} from "@toolport/core";
import { acceptAnswer, type MessageSink } from "./accept-message.ts";
import { startDelay } from "./delay.ts";
import { messageTooLarge, noStream, streamEnded } from "./answer-error.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import type { HttpCall, HttpReply } from "./http-exchange.ts";
import { createMessageParser } from "./message-parser.ts";
import { readRemark } from "./read-body.ts";
import { isPassing, reconnectDelayMs } from "./reconnect-delay.ts";
import { replyKindOf } from "./reply-kind.ts";

/** Something under way that can be taken back; who waits for it gets `reason`. */
export interface Cancellable {
  cancel(reason: ToolportError): void;
}

/** What is needed to follow the answer to one request. */
export interface AnswerStreamInit {
  readonly id: RequestId;
  readonly endpoint: HttpEndpoint;
  readonly maxMessageBytes: number;
  readonly sink: MessageSink;
  readonly random: Random;
  /** The request named a session. */
  readonly hadSession: boolean;
  /** Asks for what comes after the event with this id. Absent where streams cannot be resumed. */
  readonly resume: ((lastEventId: string) => HttpCall) | undefined;
  /** Told what is waited for now, so that it can be taken back. */
  readonly onStep: (step: Cancellable) => void;
}

interface State extends AnswerStreamInit {
  isAnswered: boolean;
  lastEventId: string | undefined;
  /** How long the server asks to wait before coming back. */
  retryMs: number | undefined;
}

// A stream should end with its answer. One that does not keeps its connection for this long.
const lingerMs = 5000;
// Attempts in a row that bring nothing. The waits before them add up to half a minute.
const maxBarren = 5;

// What ends a stream without being the last word on the request.
const lossCodes: ReadonlySet<ToolportErrorCode> = new Set<ToolportErrorCode>([
  "connection_closed",
  "dns_failed",
  "tls_failed",
  "unreachable",
]);

/**
 * Reads the event stream that answers a request, and what else comes on it, to its end. A stream that breaks off, and that had an
 * event id, is resumed after the time that the server asked for. Resolves after the answer. Rejects when there will be none: with
 * `connection_closed`, `message_too_large`, what the server refused to resume with, or the reason of a `cancel`. The outcome is
 * `unknown` then, because the server took the request.
 */
export async function readAnswerStream(first: HttpReply, init: AnswerStreamInit): Promise<void> {
  const state: State = { ...init, isAnswered: false, lastEventId: undefined, retryMs: undefined };
  let loss = await readStream(first, state);
  for (let barren = 0; loss !== undefined;) {
    const { resume, lastEventId } = state;
    if (resume === undefined || lastEventId === undefined || barren > maxBarren) throw loss;
    const delayMs = reconnectDelayMs({ barren, serverMs: state.retryMs, random: state.random });
    const delay = startDelay(state.endpoint.clock, delayMs);
    state.onStep(delay);
    await delay.done;
    const call = resume(lastEventId);
    state.onStep(call);
    loss = await call.reply.then((reply) => readResumed(reply, state), toLoss);
    barren = state.lastEventId === lastEventId ? barren + 1 : 0;
  }
}

/** Returns why the stream ended without the answer; `undefined` when the answer came. */
async function readStream(reply: HttpReply, state: State): Promise<ToolportError | undefined> {
  const { endpoint, maxMessageBytes, sink, id } = state;
  let cancelLinger = (): void => {};
  const parser = createMessageParser({
    maxMessageBytes,
    tooLarge: () => messageTooLarge(endpoint, maxMessageBytes),
    onNoise: (text) => sink.onNoise(text),
    onJson(json) {
      if (!acceptAnswer(json, id, sink) || state.isAnswered) return;
      state.isAnswered = true;
      cancelLinger = endpoint.clock.schedule(lingerMs, () => reply.cancel());
    },
  });
  try {
    await reply.read((chunk) => parser.push(chunk));
    return state.isAnswered ? undefined : streamEnded(endpoint);
  } catch (error) {
    return state.isAnswered ? undefined : toLoss(error);
  } finally {
    cancelLinger();
    state.lastEventId = parser.lastEventId ?? state.lastEventId;
    state.retryMs = parser.retryMs ?? state.retryMs;
  }
}

async function readResumed(reply: HttpReply, state: State): Promise<ToolportError | undefined> {
  const { endpoint } = state;
  const { status } = reply;
  if (replyKindOf(reply) === "events") return readStream(reply, state);
  const error = noStream(endpoint, await readRemark(reply), state.hadSession);
  const loss = withErrorContext(error, { outcome: "unknown" });
  if (!isPassing(status)) throw loss;
  state.retryMs = error.details.retryAfterMs ?? state.retryMs;
  return loss;
}

function toLoss(error: unknown): ToolportError {
  if (!isToolportError(error) || !lossCodes.has(error.code)) throw error;
  return error.outcome === "unknown" ? error : withErrorContext(error, { outcome: "unknown" });
}
