import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@toolport/core";
import { createLazySignal } from "@toolport/core/implement";
import type { GatewayLimits } from "../gateway-limits.ts";
import type { HttpExchange } from "../http/http-exchange.ts";
import { createBoundedWriter } from "./bounded-writer.ts";
import type { UnreadAnswers } from "./unread-answers.ts";

/** What all exchanges of one server have in common. */
export interface NodeExchangeInit {
  readonly limits: GatewayLimits;
  readonly clock: Clock;
  readonly unread: UnreadAnswers;
}

/** An exchange of Node's HTTP server. */
export function toHttpExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, clock, unread }: NodeExchangeInit,
): HttpExchange {
  const gone = createLazySignal();
  const watched = unread.watch(response);
  response.on("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client is gone"));
  });
  const url = request.url ?? "/";
  const query = url.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: query === -1 ? url : url.slice(0, query),
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    readBody: (maxBytes, take) => readBody(request, maxBytes, take),
    gone,
    reply(status, headers, body = "") {
      if (response.headersSent) return;
      // What was not read of a request cannot be followed by another one.
      const isRead = request.complete || status < 400;
      response.writeHead(status, {
        ...headers,
        "content-length": Buffer.byteLength(body),
        ...(!isRead && { connection: "close" }),
      });
      watched.writing(body.length);
      response.end(body);
      endUnread(response, { limits, clock });
    },
    stream(status, headers) {
      response.writeHead(status, { ...headers });
      response.flushHeaders();
      const writer = createBoundedWriter(response, { ...limits, clock, onGone: () => response.destroy() });
      return {
        write(text, weight) {
          watched.writing(text.length);
          return writer.write(text, weight);
        },
        end() {
          writer.release();
          response.end();
          endUnread(response, { limits, clock });
        },
      };
    },
  };
}

/** What a client leaves unread of a whole answer is not kept for it for ever. */
function endUnread(response: ServerResponse, { limits, clock }: Pick<NodeExchangeInit, "limits" | "clock">): void {
  if (response.closed) return;
  response.once(
    "close",
    clock.schedule(limits.slowReaderMs, () => response.destroy()),
  );
}

async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  take?: (bytes: number) => boolean,
): ReturnType<HttpExchange["readBody"]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return { problem: "too-large" };
    if (take?.(chunk.length) === false) return { problem: "no-room" };
    chunks.push(chunk);
  }
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { problem: "no-utf8" };
  }
}
