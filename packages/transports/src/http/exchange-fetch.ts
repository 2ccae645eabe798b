import { formatMs, systemClock, ToolportError, type Clock } from "@toolport/core";
import { guardCredentials } from "./guard-credentials.ts";
import type { HttpExchange, HttpReply, HttpRequest } from "./http-exchange.ts";
import { readBody } from "./read-body.ts";

const timeoutMs = 30_000;
const maxBodyBytes = 1024 * 1024;
// What OAuth code reads of a response.
const passedHeaders = ["content-type", "dpop-nonce", "location", "retry-after", "www-authenticate"];

/** What an exchange fetch is made from. */
export interface ExchangeFetchInit {
  readonly exchange: HttpExchange;
  readonly serverId: string;
  readonly clock?: Clock | undefined;
}

/**
 * A `fetch` over an exchange, for OAuth code: answers within 30 s and 1 MiB, and shows a redirect instead of following it. Like
 * any `fetch` it fails with a `TypeError`; the `ToolportError` is its cause.
 */
export function createExchangeFetch(
  init: ExchangeFetchInit,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const { exchange, serverId, clock = systemClock } = init;
  return async (url, options = {}) => {
    const request = toRequest(url, options);
    try {
      guardCredentials(request, serverId);
      const call = exchange.start(request);
      const cancelTimer = clock.schedule(timeoutMs, () => call.cancel(timedOut(request.url, serverId)));
      try {
        return await toResponse(await call.reply, serverId);
      } finally {
        cancelTimer();
      }
    } catch (error) {
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

function toRequest(url: string | URL, { method = "GET", headers, body }: RequestInit): HttpRequest {
  const names = new Headers(headers);
  if (body instanceof URLSearchParams && !names.has("content-type")) {
    names.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8");
  }
  if (method !== "GET" && method !== "POST") throw new TypeError(`unexpected method ${method}`);
  if (body != null && typeof body !== "string" && !(body instanceof URLSearchParams)) {
    throw new TypeError("the body must be a string or URLSearchParams");
  }
  return { method, url: new URL(url), headers: Object.fromEntries(names), body: body?.toString() };
}

async function toResponse(reply: HttpReply, serverId: string): Promise<Response> {
  const tooLarge = (): ToolportError =>
    new ToolportError(`an authorization server sent more than ${maxBodyBytes} bytes`, {
      code: "message_too_large",
      serverId,
    });
  const text = await readBody(reply, maxBodyBytes, tooLarge);
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = reply.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  // A Response of these statuses may have no body.
  const bodiless = reply.status === 204 || reply.status === 205 || reply.status === 304;
  return new Response(bodiless ? null : text, { status: reply.status, headers });
}

function timedOut(url: URL, serverId: string): ToolportError {
  return new ToolportError(`no answer from ${url.origin} within ${formatMs(timeoutMs)}`, {
    code: "request_timeout",
    serverId,
    details: { timeoutMs },
  });
}
