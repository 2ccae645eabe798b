import {
  HostsideError,
  isHostsideError,
  cleanText,
  type AuthorizationFetch,
  type Clock,
  type ConnectionGuard,
  type GuardedServer,
  type GuardRefusal,
} from "@hostside/core";
import {
  createDeadline,
  formatMs,
  isConfidentialUrl,
  untilAborted,
  isJsonObject,
  quoteText,
} from "@hostside/core/implement";
import { nameServer } from "../auth-errors.ts";

const timeoutMs = 30_000;
const maxBodyBytes = 1024 * 1024;
// What OAuth code reads of a response. Not `location`: who does not know it cannot follow it.
const passedHeaders = ["content-type", "dpop-nonce", "retry-after", "www-authenticate"];

/** What a bounded `fetch` is made from. */
export interface BoundedFetchInit {
  /** Default: that of the runtime. */
  readonly fetch?: AuthorizationFetch | undefined;
  readonly guard?: ConnectionGuard | undefined;
  readonly clock: Clock;
  readonly server: GuardedServer;
  /** Ends every request. */
  readonly closing: AbortSignal;
  /**
   * `"head"`: leaves the body of an answer alone, because it may be a stream without an end.
   * Default `"body"`.
   */
  readonly reads?: "head" | "body" | undefined;
}

interface BoundedRequest {
  readonly url: URL;
  readonly method: string;
  readonly options: RequestInit;
}

/**
 * A `fetch` for requests that carry credentials, with the bounds that a connector's has: an answer
 * within 30 s and 1 MiB, decompressed, over `https:` or on this machine alone, and past the guard.
 * It follows no redirect, nor can who uses it, because it does not say where to: a GET is answered
 * with the status, a POST fails with `redirect_refused`. Like any `fetch` it fails with a
 * `TypeError`; its cause is the `HostsideError`, or what the `fetch` beneath failed with.
 */
export function createBoundedFetch(init: BoundedFetchInit): AuthorizationFetch {
  const { clock, server, closing, guard } = init;
  return async (url, options = {}) => {
    try {
      const request = { url: new URL(url), method: options.method ?? "GET", options };
      assertRequest(request, server);
      if (guard !== undefined) assertGuardAllows(guard, request.url, server);
      const { signal } = options;
      const deadline = createDeadline({
        timeoutMs,
        clock,
        signal: signal == null ? closing : AbortSignal.any([signal, closing]),
        onTimeout: () => timedOut(request.url, server),
      });
      try {
        return await send(request, deadline.signal, init);
      } finally {
        deadline.dispose();
      }
    } catch (error) {
      // A fetch of a connector's kind has wrapped what it knows already.
      if (error instanceof TypeError && isHostsideError(error.cause)) throw error;
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

async function send(
  { url, method, options }: BoundedRequest,
  signal: AbortSignal,
  init: BoundedFetchInit,
): Promise<Response> {
  signal.throwIfAborted();
  const { server, fetch = globalThis.fetch, reads = "body" } = init;
  const work = fetch(url, {
    ...options,
    method,
    redirect: "manual",
    signal,
  });
  const response = await untilAborted(work, signal).catch((error: unknown) => {
    // What comes too late is of use to nobody.
    void work.then((late) => late.body?.cancel()).catch(() => {});
    throw error;
  });
  // A browser hides what redirects.
  const status = response.type === "opaqueredirect" ? 302 : response.status;
  if (method === "POST" && status >= 300 && status < 400) {
    discard(response);
    throw redirected(url, status, server);
  }
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (reads === "head") {
    discard(response);
    return new Response(null, { status, headers });
  }
  const text = await readText(response, signal, () => tooLarge(url, server));
  // A Response of these statuses may have no body.
  const isBodiless = status === 204 || status === 205 || status === 304;
  return new Response(isBodiless ? null : text, { status, headers });
}

async function readText(response: Response, signal: AbortSignal, tooLarge: () => Error): Promise<string> {
  if (response.body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    while (true) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) return text + decoder.decode();
      length += value.length;
      if (length > maxBodyBytes) throw tooLarge();
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

function discard({ body }: Response): void {
  body?.cancel().catch(() => {});
}

function assertRequest({ url, method, options: { body } }: BoundedRequest, { serverId }: GuardedServer): void {
  if (!isConfidentialUrl(url)) {
    throw new HostsideError(
      `${nameServer(serverId)}: a request for an authorization would travel unencrypted (${url.protocol.slice(0, 20)}); authorization servers are reached by https: alone`,
      { code: "invalid_spec", serverId },
    );
  }
  if (method !== "GET" && method !== "POST") throw new TypeError(`unexpected method ${method}`);
  if (body != null && typeof body !== "string" && !(body instanceof URLSearchParams)) {
    throw new TypeError("the body must be a string or URLSearchParams");
  }
}

function timedOut({ origin }: URL, { serverId }: GuardedServer): HostsideError {
  return new HostsideError(`${nameServer(serverId)}: no answer from ${origin} within ${formatMs(timeoutMs)}`, {
    code: "request_timeout",
    serverId,
    details: { timeoutMs },
  });
}

function redirected({ origin }: URL, status: number, { serverId }: GuardedServer): HostsideError {
  return new HostsideError(
    `${nameServer(serverId)}: HTTP ${status} from ${origin}: it redirects a request with credentials; redirects are never followed`,
    { code: "redirect_refused", serverId, outcome: "failed", details: { httpStatus: status } },
  );
}

function tooLarge({ origin }: URL, { serverId }: GuardedServer): HostsideError {
  return new HostsideError(`${nameServer(serverId)}: ${origin} sent more than ${maxBodyBytes} bytes`, {
    code: "message_too_large",
    serverId,
  });
}

/**
 * Throws `not_allowed` when the guard refuses a request to this URL, and `internal_error` when it
 * fails. Nothing was sent then. An address that stands in the URL itself is asked for; which one a
 * name has, a `fetch` does not say.
 */
function assertGuardAllows(guard: ConnectionGuard, url: URL, server: GuardedServer): void {
  const about = { serverId: server.serverId, outcome: "not-sent" } as const;
  // Not the path and the query, which may be somebody's secret, nor user info.
  const what = `${nameServer(server.serverId)}: connecting to ${cleanText(`${url.protocol}//${url.host}`, 300)}`;
  let refusal: unknown;
  try {
    refusal = guard.checkUrl(url, server) ?? guard.checkAddress(addressIn(url), url, server);
  } catch (cause) {
    throw new HostsideError(`${what} is refused: the guard failed`, { ...about, code: "internal_error", cause });
  }
  if (refusal === undefined) return;
  if (!isRefusal(refusal)) {
    const message = `${what} is refused: the guard answered neither a refusal nor nothing`;
    throw new HostsideError(message, { ...about, code: "internal_error" });
  }
  throw new HostsideError(
    `${what} is not allowed: ${cleanText(refusal.reason, 300)} (rule ${quoteText(refusal.rule)})`,
    {
      ...about,
      code: "not_allowed",
      details: { policy: refusal.rule },
    },
  );
}

function addressIn({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // The parser has made this of every other spelling: a host that ends in a number is an address,
  // or the URL is none.
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

function isRefusal(value: unknown): value is GuardRefusal {
  return isJsonObject(value) && typeof value["reason"] === "string" && typeof value["rule"] === "string";
}
