import { clock } from "@hostside/core/implement";
import type { Cancel, JsonObject } from "@hostside/core";
import { corsHeaders } from "./authenticate-request.ts";
import { onGone, type GatewayHttpExchange, type HttpStream } from "./http-exchange.ts";
import type { MessageSink } from "../message/active-request.ts";
import { writeMessage } from "../message/json-rpc.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/**
 * A stream of events to a client. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export interface EventStream extends MessageSink {
  end(): void;
}

/** An exchange that is answered. */
interface Answering {
  readonly exchange: GatewayHttpExchange;
  readonly settings: Pick<GatewaySettings, "limits">;
}

/**
 * Opens it, with a comment now and then while nothing is said, so that nobody on the way takes it
 * for dead.
 */
export function openEventStream({ exchange, settings: { limits } }: Answering): EventStream {
  const stream: HttpStream = exchange.stream(200, {
    ...corsHeaders(exchange),
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  let isOver = false;
  let cancelTimer: Cancel = () => {};
  const keepAlive = (): void => {
    cancelTimer = clock.schedule(limits.keepAliveMs, () => {
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

/** Makes it. A client that takes no stream gets the result alone. */
export function createPostAnswer(answering: Answering): PostAnswer {
  const { exchange, settings } = answering;
  const { limits } = settings;
  const headers = corsHeaders(exchange);
  const takesStreams = accepts(exchange.header("accept"), "text/event-stream");
  let stream: EventStream | undefined;
  let isOver = false;
  const open = (): EventStream | undefined => {
    if (isOver || !takesStreams) return undefined;
    stream ??= openEventStream(answering);
    return stream;
  };
  const cancelTimer: Cancel = takesStreams ? clock.schedule(limits.keepAliveMs, open) : () => {};
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

/** True if an `Accept` has this type in it. Without one, all is taken. */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const kind = `${type.split("/")[0]}/*`;
  return accept.split(",").some((part) => {
    const wanted = (part.split(";")[0] ?? "").trim().toLowerCase();
    return wanted === type || wanted === kind || wanted === "*/*";
  });
}
