import type { RunningServer } from "@hostside/fixtures";
import { recordedServer } from "./play-over-stdio.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Replay } from "../play/create-replay.ts";

/** What is served, and where. */
export interface ReplayServerOptions {
  readonly replay: Replay;
  /** Which server of the recording. Default: the only one that was reached by HTTP. */
  readonly serverId?: string | undefined;
  /** On 127.0.0.1. Default: a free one. */
  readonly port?: number | undefined;
}

/** A recorded server over HTTP, for hosts in any language. Its URL has the path that the recorded one had. */
export type ReplayServer = RunningServer;

const mostBytes = 64 * 1024 * 1024;

/**
 * Plays a recorded server over HTTP on the loopback address, with its faults: a connection that
 * broke breaks, at the same place of the answer. Throws a `TypeError` when it is not clear which
 * server is meant, and what listening throws.
 */
export async function startReplayServer(options: ReplayServerOptions): Promise<ReplayServer> {
  const { replay, port = 0 } = options;
  const spec = recordedServer(replay, "http", options.serverId);
  const { fetch } = replay.effects(spec);
  if (spec.type !== "http" || fetch === undefined) throw new TypeError("it was not reached by HTTP");
  const { pathname, search } = new URL(spec.url);
  // Loaded on demand: a recording that is played over stdio needs no servers of the fixtures.
  const { listenOnLoopback } = await import("@hostside/fixtures");
  return listenOnLoopback((request, response) => answer(request, response, fetch).catch(() => reset(response)), {
    port,
    path: `${pathname}${search}`,
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<void> {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  const { method = "GET", headers, url = "/" } = request;
  const body = method === "POST" ? await readBody(request) : undefined;
  const lastEventId = headers["last-event-id"];
  const replied = await fetch(`http://127.0.0.1${url}`, {
    method,
    signal: controller.signal,
    headers: typeof lastEventId === "string" ? { "last-event-id": lastEventId } : {},
    ...(body !== undefined && { body }),
  });
  response.writeHead(replied.status, Object.fromEntries(replied.headers));
  response.flushHeaders();
  if (replied.body !== null) for await (const chunk of replied.body) response.write(chunk);
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > mostBytes) throw new RangeError("the request is too large");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function reset(response: ServerResponse): void {
  const { socket } = response;
  // What was written before it may still be on its way.
  setImmediate(() => socket?.resetAndDestroy());
}
