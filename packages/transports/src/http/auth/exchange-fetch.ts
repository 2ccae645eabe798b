import { HostsideError } from "@hostside/core";
import { clock, formatMs, isConfidentialUrl, learnOAuthAnswer, learnOAuthRequest } from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import { guardCredentials } from "../exchange/request-headers.ts";
import type { HttpClient, HttpReply, HttpRequest } from "../exchange/http-exchange.ts";
import { readBody } from "../exchange/read-body.ts";

const timeoutMs = 30_000;
const maxBodyBytes = 1024 * 1024;
/**
 * The headers of an answer that OAuth code reads. Not `location`: who does not know it cannot
 * follow it.
 */
const passedHeaders: readonly string[] = ["content-type", "dpop-nonce", "retry-after", "www-authenticate"];

/** A `fetch` for OAuth code. */
export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The parts of a exchange fetch. */
export interface ExchangeFetchInit {
  readonly exchange: HttpClient;
  readonly context: Pick<ServerContext, "secrets" | "serverId">;
}

/**
 * A `fetch` over an exchange, for OAuth code: answers within 30 s and 1 MiB, over `https:` or on
 * this machine alone. It never follows a redirect, nor can who uses it, because it does not say
 * where to: a GET is answered with the status, a POST fails with `redirect_refused`. Like any
 * `fetch` it fails with a `TypeError`, whose cause is the `HostsideError`, or with the reason of
 * its `signal`.
 */
export function createExchangeFetch(init: ExchangeFetchInit): OAuthFetch {
  const { exchange, context } = init;
  const { serverId, secrets } = context;
  return async (url, options = {}) => {
    const request = toHttpRequest(url, options);
    const signal = options.signal ?? undefined;
    signal?.throwIfAborted();
    try {
      if (!isConfidentialUrl(request.url)) throw exposedRequest(request.url, serverId);
      guardCredentials(request, serverId);
      learnOAuthRequest({ headers: Object.entries(request.headers), form: request.body }, secrets);
      const call = exchange.start(request);
      const cancelTimer = clock.schedule(timeoutMs, () => call.cancel(timedOut(request.url, serverId)));
      const onAbort = (): void => call.cancel(givenUp(serverId));
      signal?.addEventListener("abort", onAbort, { once: true });
      try {
        return await toResponse(await call.reply, request, init);
      } finally {
        cancelTimer();
        signal?.removeEventListener("abort", onAbort);
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

/**
 * Makes the request of an exchange from that of a `fetch`. Throws a `TypeError` for what OAuth code
 * does not send.
 */
function toHttpRequest(url: string | URL, { method = "GET", headers, body }: RequestInit): HttpRequest {
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

async function toResponse(
  reply: HttpReply,
  { method, url }: HttpRequest,
  { context: { serverId, secrets } }: ExchangeFetchInit,
): Promise<Response> {
  if (method === "POST" && reply.status >= 300 && reply.status < 400) {
    reply.cancel();
    throw redirected(url, reply.status, serverId);
  }
  const tooLarge = (): HostsideError =>
    new HostsideError(`an authorization server sent more than ${maxBodyBytes} bytes`, {
      code: "message_too_large",
      serverId,
    });
  const text = await readBody(reply, maxBodyBytes, tooLarge);
  learnOAuthAnswer(text, secrets);
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = reply.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  // A Response of these statuses may have no body.
  const bodiless = reply.status === 204 || reply.status === 205 || reply.status === 304;
  return new Response(bodiless ? null : text, { status: reply.status, headers });
}

function exposedRequest({ protocol }: URL, serverId: string): HostsideError {
  return new HostsideError(
    `a request for an authorization would travel unencrypted (${protocol.slice(0, 20)}); authorization servers are reached by https: alone`,
    { code: "invalid_spec", serverId },
  );
}

function redirected({ origin }: URL, status: number, serverId: string): HostsideError {
  return new HostsideError(
    `HTTP ${status} from ${origin}: an authorization server redirects a request with credentials; redirects are never followed`,
    { code: "redirect_refused", serverId, outcome: "failed" },
  );
}

function givenUp(serverId: string): HostsideError {
  return new HostsideError("the request to an authorization server was given up", { code: "aborted", serverId });
}

function timedOut(url: URL, serverId: string): HostsideError {
  return new HostsideError(`no answer from ${url.origin} within ${formatMs(timeoutMs)}`, {
    code: "request_timeout",
    serverId,
    details: { timeoutMs },
  });
}
