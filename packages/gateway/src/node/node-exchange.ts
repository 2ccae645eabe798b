import { clock } from "@hostside/core/implement";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayHttpExchange, readBodyText } from "../http/http-exchange.ts";
import { createBoundedWriter } from "./bounded-writer.ts";
import type { GatewayLimits } from "../settings/gateway-limits.ts";

/** Makes the exchanges of Node's HTTP server, which share the room for unread answers. */
export function createExchanges(
  limits: GatewayLimits,
): (request: IncomingMessage, response: ServerResponse) => GatewayHttpExchange {
  const watch = watchUnread(limits.maxUnreadBytes);
  return (request, response) => toHttpExchange(request, response, { limits, writing: watch(response) });
}

function toHttpExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { limits, writing }: { readonly limits: GatewayLimits; readonly writing: (length: number) => void },
): GatewayHttpExchange {
  const gone = new AbortController();
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
      writing(body.length);
      if (isRead) response.end(body);
      else endLate(request, response, { limits, body });
      endUnread(response, limits);
    },
    stream(status, headers) {
      response.writeHead(status, { ...headers });
      response.flushHeaders();
      const writer = createBoundedWriter(response, { ...limits, onGone: () => response.destroy() });
      return {
        write(text, weight) {
          writing(text.length);
          return writer.write(text, weight);
        },
        end() {
          writer.release();
          response.end();
          endUnread(response, limits);
        },
      };
    },
  };
}

/** Destroys an answer that its client leaves unread. */
function endUnread(response: ServerResponse, { slowReaderMs }: GatewayLimits): void {
  if (response.closed) return;
  response.once(
    "close",
    clock.schedule(slowReaderMs, () => response.destroy()),
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
  { limits, body }: { readonly limits: GatewayLimits; readonly body: string },
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
   * The host of a target that is a whole URL, which counts in place of `Host`.
   * https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
   */
  readonly authority: string | undefined;
}

function readTarget(target: string): Target {
  const [, authority, path = target] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  const [own = ""] = path.split("?", 1);
  return { path: own === "" ? "/" : own, authority };
}

interface Unread {
  readonly response: ServerResponse;
  /** Since when something waits in it. */
  since: number;
}

/**
 * Keeps what all answers leave unread within `maxUnreadBytes`: beyond it those are closed that were
 * left longest. They are weighed whenever an eighth of that has been written, so that an answer
 * pays an addition. Returns what watches an answer until it is closed, which returns what is called
 * with the number of UTF-16 units that are about to be written.
 */
function watchUnread(maxUnreadBytes: number): (response: ServerResponse) => (length: number) => void {
  const watched = new Set<Unread>();
  let written = 0;
  const weigh = (next: number): void => {
    written = 0;
    const waiting = Array.from(watched).filter(({ response }) => response.writableLength > 0);
    let bytes = waiting.reduce((sum, { response }) => sum + response.writableLength, next);
    if (bytes <= maxUnreadBytes) return;
    for (const { response } of waiting.toSorted((a, b) => a.since - b.since)) {
      bytes -= response.writableLength;
      response.destroy();
      if (bytes <= maxUnreadBytes) return;
    }
  };
  return (response) => {
    const one: Unread = { response, since: 0 };
    watched.add(one);
    response.once("close", () => watched.delete(one));
    return (length) => {
      if (response.writableLength === 0) one.since = clock.now();
      written += length;
      if (written > maxUnreadBytes / 8) weigh(length);
    };
  };
}
