import type { Cancel, Clock, JsonObject } from "@hostside/core";
import type { MessageSink } from "../message/message-sink.ts";
import { writeMessage } from "../message/write-message.ts";
import { openEventStream, type EventStream } from "./event-stream.ts";
import { onGone, type GatewayHttpExchange, type HttpHeaders } from "./http-exchange.ts";

/**
 * The answer to a POST: JSON, or a stream as soon as there is something to say before the result,
 * or silence has lasted.
 */
export interface PostAnswer {
  readonly sink: MessageSink;
  /**
   * The last message, and the end. `undefined`: there is none, because the request was given up.
   */
  finish(message: JsonObject | undefined, status?: number): void;
}

/** What it goes by. */
export interface PostAnswerInit {
  readonly clock: Clock;
  readonly keepAliveMs: number;
  readonly headers: HttpHeaders;
}

/** Makes it. A client that takes no stream gets the result alone. */
export function createPostAnswer(exchange: GatewayHttpExchange, init: PostAnswerInit): PostAnswer {
  const { clock, keepAliveMs, headers } = init;
  const takesStreams = accepts(exchange.header("accept"), "text/event-stream");
  let stream: EventStream | undefined;
  let isOver = false;
  const open = (): EventStream | undefined => {
    if (isOver || !takesStreams) return undefined;
    stream ??= openEventStream(exchange, headers, init);
    return stream;
  };
  const cancelTimer: Cancel = takesStreams ? clock.schedule(keepAliveMs, open) : () => {};
  const ignoreGone = onGone(exchange, () => {
    isOver = true;
    cancelTimer();
  });
  return {
    sink: {
      send: (message, weight) => open()?.send(message, weight) === true,
      get isOver() {
        return isOver;
      },
    },
    finish(message, status = 200) {
      if (isOver) return;
      isOver = true;
      cancelTimer();
      ignoreGone();
      if (stream !== undefined) {
        if (message !== undefined) stream.send(message);
        stream.end();
      } else if (message === undefined) {
        exchange.reply(202, headers);
      } else {
        exchange.reply(status, { ...headers, "content-type": "application/json" }, writeMessage(message));
      }
    },
  };
}

/** Whether an `Accept` has this type in it. Without one, all is taken. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const kind = `${type.split("/")[0]}/*`;
  return accept.split(",").some((part) => {
    const wanted = (part.split(";")[0] ?? "").trim().toLowerCase();
    return wanted === type || wanted === kind || wanted === "*/*";
  });
}
