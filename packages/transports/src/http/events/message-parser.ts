import type { HostsideError } from "@hostside/core";
import { admitDepth, answeredRequest, excessValues, isLargeBatch, tooManyMessages } from "../../message/admission.ts";
import type { RequestId } from "../../message/json-rpc.ts";
import { parseMessage } from "../../message/parse-message.ts";
import { endsOf, recoverRequestId } from "../../message/recover-request-id.ts";
import { messageTooLarge, noAnswer, noMessages } from "../exchange/answer-error.ts";
import type { ReadingContext } from "./reading-context.ts";
import { createSseParser, type SseParser } from "./sse-parser.ts";

// Signs of life are no messages, and a server that may send small messages alone may send them,
// too. But a mebibyte of them is none.
const leastIdleBytes = 65_536;
const mostIdleBytes = 1024 * 1024;
// Reading an event is work, however little is in it.
const eventCost = 64;

/** What becomes of text that is not valid UTF-8. */
export const brokenBytesRead = "its broken bytes are read as U+FFFD";

/** What a parser of messages is made from. */
export interface MessageParserInit {
  /**
   * `maxMessageBytes` bounds one message, and, from 64 KiB on, all that may come between two; of
   * blank lines and comments 1 MiB at most. Its `sink` is told of what is odd.
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
  /**
   * Whether somebody else has read the beginning of the stream, to the end of an event. Default
   * `false`.
   */
  readonly isContinued?: boolean;
  /** Called for events that are no message. Default: they are ignored. */
  readonly onOtherEvent?: (type: string, data: string) => void;
}

/**
 * A parser for streams whose events are JSON-RPC messages. An event that is no JSON is skipped,
 * with a word to the sink, and so is a batch of more than 1,000 messages. Throws
 * `message_too_large` for a message beyond the limit, and for that much without a message.
 */
export function createMessageParser(init: MessageParserInit): SseParser {
  const { reading, onJson, onOtherEvent, onBrokenAnswer, isContinued = false } = init;
  const { endpoint, sink } = reading;
  const { maxMessageBytes, maxMessageValues } = reading.limits;
  const { serverId } = endpoint;
  const maxSkipped = Math.max(maxMessageBytes, leastIdleBytes);
  const maxIdleBytes = Math.min(maxSkipped, mostIdleBytes);
  let skippedLength = 0;
  const skip = (data: string): void => {
    skippedLength += data.length + eventCost;
    if (skippedLength > maxSkipped) throw noMessages(endpoint, maxSkipped);
  };
  const drop = (id: RequestId | undefined, what: string, data: string): void => {
    if (id === undefined || onBrokenAnswer === undefined) sink.onAnomaly(`an event that is ${what}`);
    else onBrokenAnswer(id, what, noAnswer(endpoint, `an answer that is ${what}`, data));
  };
  return createSseParser({
    isContinued,
    maxEventBytes: maxMessageBytes,
    maxIdleBytes,
    tooLarge: () => messageTooLarge(endpoint, maxMessageBytes),
    tooIdle: () => noMessages(endpoint, maxIdleBytes),
    onNotUtf8: () => sink.onAnomaly("an event that is not valid UTF-8", brokenBytesRead),
    onEvent({ type, data, id }, bytes) {
      if (type !== "message") {
        skip(data);
        return onOtherEvent?.(type, data);
      }
      const excess = excessValues(data, { serverId, maxMessageValues });
      if (excess !== undefined) {
        const id = recoverRequestId(endsOf(data));
        if (id !== undefined && onBrokenAnswer !== undefined) return onBrokenAnswer(id, "too large", excess);
        skip(data);
        return sink.onAnomaly(`an event with more than ${maxMessageValues} JSON values`);
      }
      let json: unknown;
      try {
        json = parseMessage(data);
      } catch {
        skip(data);
        return drop(recoverRequestId(endsOf(data)), "no JSON", data);
      }
      if (isLargeBatch(json)) {
        skip(data);
        return drop(undefined, tooManyMessages, data);
      }
      if (typeof json === "object" && json !== null) skippedLength = 0;
      else skip(data);
      if (!admitDepth(json)) return drop(answeredRequest(json), "nested too deeply", data);
      onJson(json, id, bytes);
    },
  });
}
