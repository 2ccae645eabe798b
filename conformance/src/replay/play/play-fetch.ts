import { messagesOf } from "../recording/change-ids.ts";
import type { JsonObject } from "@hostside/core";
import { readRecordedMessage } from "../record/recorded-side.ts";
import type { RecordableFetch } from "../record/record-fetch.ts";
import type { ServerEvent } from "../recording/recorded-event.ts";
import type { Stage } from "./create-stage.ts";
import { createPlayedBody, type PlayedBody } from "./played-body.ts";
import { type LiveRun, bytesOf } from "./recorded-step.ts";

/** A `fetch` that answers from the recording of one server, and reaches nobody. */
export function playFetch(stage: Stage): RecordableFetch {
  return (_url, init) =>
    new Promise((resolve, reject) => {
      const { signal } = init;
      if (signal?.aborted === true) return reject(reasonOf(signal));
      const exchange = createExchange(resolve, reject);
      signal?.addEventListener("abort", () => exchange.fail(reasonOf(signal)), { once: true });
      begin(stage, init, exchange);
    });
}

function reasonOf(signal: AbortSignal): unknown {
  return signal.reason ?? new DOMException("This operation was aborted", "AbortError");
}

type PlayedExchange = ReturnType<typeof createExchange>;

function begin(stage: Stage, init: RequestInit, { live, answer }: PlayedExchange): void {
  const method = init.method ?? "GET";
  if (method !== "POST") {
    const lastEventId = new Headers(init.headers).get("last-event-id") ?? undefined;
    // What no recording has, such a server does not offer.
    if (!stage.open(live, method === "DELETE" ? "delete" : "stream", lastEventId)) answer(405);
    return;
  }
  const message = typeof init.body === "string" ? readRecordedMessage(init.body) : undefined;
  if (message === undefined) return answer(400);
  const taken = messagesOf(message).map((one) => stage.message(live, one, (error) => answer(200, error)));
  // Of a notification that nobody recorded nothing comes.
  if (!taken.includes(true)) answer(202);
}

// A response of these may have no body.
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function createExchange(resolve: (response: Response) => void, reject: (reason: unknown) => void) {
  let body: PlayedBody | undefined;
  let isOver = false;
  const reply = (status: number, headers: Readonly<Record<string, string>>): void => {
    if (body !== undefined || isOver) return;
    body = createPlayedBody();
    resolve(new Response(bodiless.has(status) ? null : body.stream, { status, headers: legal(headers) }));
  };
  const fail = (reason: unknown): void => {
    if (body !== undefined) return body.fail(reason);
    isOver = true;
    reject(reason);
  };
  const deliver = (event: ServerEvent): void => {
    switch (event.type) {
      case "reply":
        return reply(event.status, event.headers ?? {});
      case "received":
        return body?.write(JSON.stringify(event.message));
      case "event":
        return body?.write(eventText(event));
      case "body":
        return body?.write(bytesOf(event));
      case "body-end":
        return body?.close();
      case "cut":
        return body === undefined ? fail(networkError(event.code)) : body.cut(networkError(event.code));
      default:
        // Nothing else befalls an exchange.
        return;
    }
  };
  return {
    live: { deliver } as LiveRun,
    fail,
    answer: (status: number, answer?: JsonObject): void => {
      reply(status, { "content-type": "application/json" });
      if (answer !== undefined) body?.write(JSON.stringify(answer));
      body?.close();
    },
  };
}

function eventText(event: Extract<ServerEvent, { readonly type: "event" }>): string {
  const data = event.message === undefined ? event.text : JSON.stringify(event.message);
  const fields = [
    ["id", event.id],
    ["event", event.event],
    ["retry", event.retry],
  ] as const;
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const dataLines = data === undefined ? [] : data.split(/\r\n|\n|\r/).map((line) => `data: ${line}`);
  return `${[...lines, ...dataLines].join("\n")}\n\n`;
}

// A recording is data: a header that HTTP does not allow would throw in the middle of a replay.
function legal(headers: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(headers).filter(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );
}

// Those of connecting: no byte of the request has left.
const connecting: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

function networkError(code: string): Error {
  const cause = Object.assign(new Error(code), { code, ...(connecting.has(code) && { syscall: "connect" }) });
  return new TypeError("fetch failed", { cause });
}
