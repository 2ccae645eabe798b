import type { HostsideError } from "@hostside/core";
import { isHeaderValue, utf8Length } from "@hostside/core/implement";
import { createParser, type EventSourceParser } from "eventsource-parser";
import {
  admitDepth,
  answeredRequest,
  excessValues,
  isLargeBatch,
  parseMessage,
  tooManyMessages,
} from "../../message/admission.ts";
import type { RequestId } from "../../message/transport.ts";
import { endsOf, recoverRequestId } from "../../message/recover-request-id.ts";
import { messageTooLarge, noAnswer, noMessages } from "../exchange/answer-error.ts";
import type { ReadingContext } from "./accept-message.ts";

// Signs of life are no messages, and a server that may send small messages alone may send them,
// too. But a mebibyte of them is none.
const leastIdleBytes = 65_536;
const mostIdleBytes = 1024 * 1024;
// Reading an event is work, however little is in it.
const eventCost = 64;
const longestEventId = 1024;

/** What becomes of text that is not valid UTF-8. */
export const brokenBytesRead = "its broken bytes are read as U+FFFD";

/** What a parser of messages is made from. */
export interface MessageParserInit {
  /**
   * `maxMessageBytes` bounds one message, and, from 64 KiB on, all that may come between two. Its
   * `sink` is told of what is odd.
   */
  readonly reading: ReadingContext;
  /**
   * Called for each message, as parsed JSON of any kind, with the id of its event and the size of
   * its data.
   */
  readonly onJson: (json: unknown, eventId: string | undefined, bytes: number) => void;
  /**
   * Called for an answer that cannot be let in, with the request that it names: it is no JSON, or
   * nested too deeply, or has too many values. `what` says so in a few words of ours. Default: it
   * is noise like any other.
   */
  readonly onBrokenAnswer?: (id: RequestId, what: string, error: HostsideError) => void;
  /** Called for events that are no message. Default: they are ignored. */
  readonly onOtherEvent?: (type: string, data: string) => void;
}

/**
 * Reads streams of events that are JSON-RPC messages. An event that is no JSON is skipped, with a
 * word to the sink, and so is a batch of more than 1,000 messages.
 */
export class MessageParser {
  /** The latest event id that a header can carry; what `Last-Event-ID` should say. */
  lastEventId: string | undefined;
  /** The latest `retry:`, in milliseconds. */
  retryMs: number | undefined;
  readonly #init: MessageParserInit;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #maxSkipped: number;
  /** Length of what was skipped since the last message. */
  #skipped = 0;
  /** Bytes since the last event. */
  #sinceEvent = 0;

  constructor(init: MessageParserInit) {
    const { endpoint, limits } = init.reading;
    const { maxMessageBytes } = limits;
    this.#init = init;
    this.#maxSkipped = Math.max(maxMessageBytes, leastIdleBytes);
    this.#parser = createParser({
      maxBufferSize: maxMessageBytes + eventCost,
      onEvent: ({ id, event = "message", data }) => {
        this.#sinceEvent = 0;
        const isUsable = id !== undefined && id.length <= longestEventId && isHeaderValue(id);
        if (isUsable) this.lastEventId = id;
        if (data !== "") this.#read(event, data, isUsable ? id : undefined);
      },
      onRetry: (retryMs) => void (this.retryMs = retryMs),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") throw messageTooLarge(endpoint, maxMessageBytes);
      },
    });
  }

  /**
   * Takes the next bytes. Throws `message_too_large` for a message beyond the limit, and for that
   * much without a message.
   */
  push(chunk: Uint8Array): void {
    const { endpoint, limits } = this.#init.reading;
    const maxIdleBytes = Math.min(this.#maxSkipped, mostIdleBytes);
    this.#sinceEvent += chunk.length;
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    if (this.#sinceEvent > limits.maxMessageBytes + maxIdleBytes) throw noMessages(endpoint, maxIdleBytes);
  }

  #read(type: string, data: string, eventId: string | undefined): void {
    const { reading, onJson, onOtherEvent, onBrokenAnswer } = this.#init;
    const { endpoint, sink, limits } = reading;
    if (type !== "message") {
      this.#skip(data);
      return onOtherEvent?.(type, data);
    }
    const bytes = utf8Length(data);
    if (bytes > limits.maxMessageBytes) throw messageTooLarge(endpoint, limits.maxMessageBytes);
    if (data.includes("\uFFFD")) sink.onAnomaly("an event with U+FFFD, which may stand for broken UTF-8", "it is read");
    const excess = excessValues(data, { ...limits, serverId: endpoint.serverId });
    if (excess !== undefined) {
      const id = recoverRequestId(endsOf(data));
      if (id !== undefined && onBrokenAnswer !== undefined) return onBrokenAnswer(id, "too large", excess);
      this.#skip(data);
      return sink.onAnomaly(`an event with more than ${limits.maxMessageValues} JSON values`);
    }
    let json: unknown;
    try {
      json = parseMessage(data);
    } catch {
      this.#skip(data);
      return this.#drop(recoverRequestId(endsOf(data)), "no JSON", data);
    }
    if (isLargeBatch(json)) {
      this.#skip(data);
      return this.#drop(undefined, tooManyMessages, data);
    }
    if (typeof json === "object" && json !== null) this.#skipped = 0;
    else this.#skip(data);
    const admitted = admitDepth(json);
    if (admitted === undefined) return this.#drop(answeredRequest(json), "nested too deeply", data);
    onJson(admitted, eventId, bytes);
  }

  #skip(data: string): void {
    this.#skipped += data.length + eventCost;
    if (this.#skipped > this.#maxSkipped) throw noMessages(this.#init.reading.endpoint, this.#maxSkipped);
  }

  #drop(id: RequestId | undefined, what: string, data: string): void {
    const { reading, onBrokenAnswer } = this.#init;
    if (id === undefined || onBrokenAnswer === undefined) reading.sink.onAnomaly(`an event that is ${what}`);
    else onBrokenAnswer(id, what, noAnswer(reading.endpoint, `an answer that is ${what}`, data));
  }
}
