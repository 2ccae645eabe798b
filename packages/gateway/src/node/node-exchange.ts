import { clock } from "@hostside/core/implement";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayHttpExchange, readBodyText } from "../http/http-exchange.ts";
import { createBoundedWriter } from "./bounded-writer.ts";
import type { UnreadAnswers } from "./unread-answers.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";

/** The common parts of all exchanges of one server. */
export interface GatewayNodeExchangeInit {
  readonly limits: GatewayLimits;
  readonly unread: UnreadAnswers;
}

/** An exchange of Node's HTTP server. */
export function toHttpExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, unread }: GatewayNodeExchangeInit,
): GatewayHttpExchange {
  const gone = new AbortController();
  const watched = unread.watch(response);
  response.on("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client is gone"));
  });
  const { path, authority } = readTarget(request.url ?? "/");
  return {
    method: request.method ?? "GET",
    path,
    header(name) {
      if (name === "host" && authority !== undefined) return authority;
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    readBody: (maxBytes, take) => readBodyText(request.iterator({ destroyOnReturn: false }), maxBytes, take),
    gone: gone.signal,
    reply(status, headers, body = "") {
      if (response.headersSent || response.destroyed) return;
      // What was not read of a request cannot be followed by another one.
      const isRead = request.complete || status < 400;
      response.writeHead(status, {
        ...headers,
        "content-length": Buffer.byteLength(body),
        ...(!isRead && { connection: "close" }),
      });
      watched.writing(body.length);
      if (isRead) response.end(body);
      else endLate(request, response, { limits, body });
      endUnread(response, { limits });
    },
    stream(status, headers) {
      response.writeHead(status, { ...headers });
      response.flushHeaders();
      const writer = createBoundedWriter(response, { ...limits, onGone: () => response.destroy() });
      return {
        write(text, weight) {
          watched.writing(text.length);
          return writer.write(text, weight);
        },
        end() {
          writer.release();
          response.end();
          endUnread(response, { limits });
        },
      };
    },
  };
}

/** Destroys an answer that its client leaves unread. */
function endUnread(response: ServerResponse, { limits }: Pick<GatewayNodeExchangeInit, "limits">): void {
  if (response.closed) return;
  response.once(
    "close",
    clock.schedule(limits.slowReaderMs, () => response.destroy()),
  );
}

const lingerMs = 2000;

/**
 * Ends an answer once the rest of its request was dropped, or there is too much of it: a connection
 * that is closed with something unread is reset, and the answer may be lost with it.
 * https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
function endLate(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, body }: Pick<GatewayNodeExchangeInit, "limits"> & { readonly body: string },
): void {
  response.write(body);
  let left = limits.maxBodyBytes;
  const end = (): void => {
    cancelTimer();
    request.off("data", drop);
    response.end();
  };
  const drop = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) end();
  };
  const cancelTimer = clock.schedule(lingerMs, end);
  request.on("data", drop);
  request.once("end", end);
  request.once("close", end);
}

interface Target {
  readonly path: string;
  /**
   * Of a target that is a whole URL, which counts in place of `Host`.
   * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
   */
  readonly authority: string | undefined;
}

function readTarget(target: string): Target {
  const [, authority, path = target] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  const [own = ""] = path.split("?", 1);
  return { path: own === "" ? "/" : own, authority };
}
