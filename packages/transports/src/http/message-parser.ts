import { isTooDeep } from "../message-depth.ts";
import { createSseParser, type SseParser } from "./sse-parser.ts";

/** What a parser of messages is made from. */
export interface MessageParserInit {
  /** Bytes of one message. */
  readonly maxMessageBytes: number;
  readonly tooLarge: () => Error;
  /** Called for each message, as parsed JSON of any kind. */
  readonly onJson: (json: unknown) => void;
  readonly onNoise: (text: string) => void;
  /** Called for events that are no message. Default: they are ignored. */
  readonly onOtherEvent?: (type: string, data: string) => void;
}

/** A parser for streams whose events are JSON-RPC messages. An event that is no JSON is skipped, with a word to `onNoise`. */
export function createMessageParser(init: MessageParserInit): SseParser {
  const { maxMessageBytes, tooLarge, onJson, onNoise, onOtherEvent } = init;
  return createSseParser({
    maxEventBytes: maxMessageBytes,
    tooLarge,
    onEvent({ type, data }) {
      if (type !== "message") return onOtherEvent?.(type, data);
      let json: unknown;
      try {
        json = JSON.parse(data);
      } catch {
        return onNoise("an event that is no JSON");
      }
      if (isTooDeep(json)) return onNoise("an event that is nested too deeply");
      onJson(json);
    },
  });
}
