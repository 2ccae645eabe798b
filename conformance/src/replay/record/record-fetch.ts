import type { Cancel } from "@hostside/core";
import type { RecordedEvent, RecordedMessage } from "../recording/recorded-event.ts";
import type { Placeless } from "./create-tape.ts";
import { createEventCutter, type EventCutter } from "./event-cutter.ts";
import { systemErrorCodeOf } from "./record-process.ts";
import { readRecordedMessage, type RecordedSide } from "./recorded-side.ts";

/** Something with the shape of the global `fetch`, as transports call it. */
export type RecordableFetch = (url: string, init: RequestInit) => Promise<Response>;

/** What {@linkcode recordFetch} needs. */
export interface FetchRecording {
  readonly side: RecordedSide;
  /**
   * Is handed what has to be called when the recording ends before the exchange, and what takes
   * that back.
   */
  readonly onOpen: (finish: Cancel) => Cancel;
}

const requestHeaders = /^(?:last-event-id|mcp-session-id|mcp-protocol-version)$/;
const replyHeaders = /^(?:allow|content-type|location|mcp-session-id|retry-after|www-authenticate)$/;
const longestBody = 16 * 1024 * 1024;

/**
 * A `fetch` that writes down what goes over it to the server of a side. Requests to anybody else,
 * an authorization server for one, pass unseen.
 */
export function recordFetch(fetch: RecordableFetch, { side, onOpen }: FetchRecording): RecordableFetch {
  return async (url, init) => {
    const message = typeof init.body === "string" ? readRecordedMessage(init.body) : undefined;
    const target = new URL(url);
    learnParameters(target, side);
    const headers = side.mask.headers(new Headers(init.headers), (name) => requestHeaders.test(name));
    if (!isOfServer(target, message, side)) return fetch(url, init);
    const { tape, mask, serverId: server } = side;
    const run = tape.nextRun();
    tape.add({
      type: "request",
      server,
      run,
      method: init.method ?? "GET",
      url: mask.text(target.pathname + target.search),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(message !== undefined && { message: side.outgoing(message) }),
    });
    const signal = init.signal ?? undefined;
    const response = await fetch(url, init).catch((error: unknown) => {
      tape.add(endOf(error, run, signal));
      throw error;
    });
    const kept = mask.headers(response.headers, (name) => replyHeaders.test(name));
    if (response.status < 200) return response;
    tape.add({ type: "reply", run, status: response.status, ...(Object.keys(kept).length > 0 && { headers: kept }) });
    return recordBody(response, { side, run, onOpen, signal });
  };
}

// Of the same origin as its address: the old HTTP+SSE has a second one.
function isOfServer(target: URL, message: RecordedMessage | undefined, { spec: { url } }: RecordedSide): boolean {
  if (url === undefined) return false;
  const own = new URL(url);
  const isSame = target.pathname === own.pathname && target.search === own.search;
  return target.origin === own.origin && (isSame || (message !== undefined && "jsonrpc" in message));
}

// The old HTTP+SSE has the id of a session in the address that messages go to.
function learnParameters(target: URL, { mask }: RecordedSide): void {
  for (const [name, value] of target.searchParams)
    if (/session/i.test(name) && value.length >= 6) mask.learn(value, "session");
}

interface BodyRecording extends FetchRecording {
  readonly run: number;
  readonly signal: AbortSignal | undefined;
}

function recordBody(response: Response, { side, run, onOpen, signal }: BodyRecording): Response {
  const { tape } = side;
  const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const parts = isStream ? cutEvents(side, run) : gatherBody(side, run);
  if (response.body === null) {
    tape.add({ type: "body-end", run });
    return response;
  }
  const reader = response.body.getReader();
  let isOver = false;
  const finish = (event: Parameters<typeof tape.add>[0] | undefined): void => {
    if (isOver) return;
    isOver = true;
    close();
    parts.flush();
    if (event !== undefined) tape.add(event);
  };
  const close = onOpen(() => finish(undefined));
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          finish({ type: "body-end", run });
          return controller.close();
        }
        if (!isOver) parts.push(value);
        controller.enqueue(value);
      } catch (error) {
        finish(endOf(error, run, signal));
        controller.error(error);
      }
    },
    cancel(reason) {
      finish({ type: "taken-back", run });
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** How an exchange ended that failed. */
function endOf(error: unknown, run: number, signal: AbortSignal | undefined): Placeless<RecordedEvent> {
  return signal?.aborted === true ? { type: "taken-back", run } : { type: "cut", run, code: systemErrorCodeOf(error) };
}

function cutEvents(side: RecordedSide, run: number): EventCutter {
  const { tape, mask } = side;
  return createEventCutter((cut) => {
    if (cut.kind === "bytes") return tape.add({ type: "body", run, ...side.raw(cut.bytes) });
    const { data, id, event, retry } = cut;
    const message = data === undefined ? undefined : readRecordedMessage(data);
    if (event === "endpoint" && data !== undefined && URL.canParse(data, "http://localhost"))
      learnParameters(new URL(data, "http://localhost"), side);
    tape.add({
      type: "event",
      run,
      ...(id !== undefined && { id: mask.text(id) }),
      ...(event !== undefined && { event: mask.text(event) }),
      ...(retry !== undefined && { retry }),
      ...(message !== undefined
        ? { message: side.incoming(message) }
        : data !== undefined && { text: side.text(data) }),
    });
  });
}

function gatherBody(side: RecordedSide, run: number): EventCutter {
  const { tape } = side;
  let parts: Uint8Array[] = [];
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    const bytes = Buffer.concat(parts);
    parts = [];
    length = 0;
    const message = readRecordedMessage(bytes.toString("utf8"));
    if (message !== undefined) tape.add({ type: "received", run, message: side.incoming(message) });
    else tape.add({ type: "body", run, ...side.raw(bytes) });
  };
  return {
    push(bytes) {
      parts.push(bytes);
      length += bytes.length;
      if (length > longestBody) flush();
    },
    flush,
  };
}
