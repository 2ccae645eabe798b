import type { Cancel, Clock, JsonObject } from "@hostside/core";
import type { MessageSink } from "../message/message-sink.ts";
import { writeMessage } from "../message/write-message.ts";
import { onGone, type GatewayHttpExchange, type HttpHeaders, type HttpStream } from "./http-exchange.ts";

/**
 * A stream of events to a client. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export interface EventStream extends MessageSink {
  end(): void;
}

/**
 * Opens it, with a comment now and then while nothing is said, so that nobody on the way takes it
 * for dead.
 */
export function openEventStream(
  exchange: GatewayHttpExchange,
  headers: HttpHeaders,
  { clock, keepAliveMs }: { readonly clock: Clock; readonly keepAliveMs: number },
): EventStream {
  const stream: HttpStream = exchange.stream(200, {
    ...headers,
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  let isOver = false;
  let cancelTimer: Cancel = () => {};
  const keepAlive = (): void => {
    cancelTimer = clock.schedule(keepAliveMs, () => {
      if (isOver) return;
      stream.write(": still here\n\n", "spare");
      keepAlive();
    });
  };
  keepAlive();
  const over = (): void => {
    isOver = true;
    cancelTimer();
  };
  onGone(exchange, over);
  return {
    get isOver() {
      return isOver;
    },
    send(message: JsonObject, weight = "needed") {
      const text = isOver ? undefined : writeMessage(message);
      return text !== undefined && stream.write(`event: message\ndata: ${text}\n\n`, weight);
    },
    end() {
      if (isOver) return;
      over();
      stream.end();
    },
  };
}
