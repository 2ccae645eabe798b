import {
  HostsideError,
  isHostsideError,
  cleanText,
  type AuthorizationFetch,
  type ConnectionGuard,
  type GuardedServer,
  type HostsideErrorCode,
  type HostsideErrorInit,
} from "@hostside/core";
import { createDeadline, formatMs, isConfidentialUrl, untilAborted, quoteText } from "@hostside/core/implement";
import { nameServer } from "../auth-errors.ts";

const timeoutMs = 30_000;
const maxBodyBytes = 1024 * 1024;
// What OAuth code reads of a response. Without `location` no code can follow a redirect.
const passedHeaders = ["content-type", "dpop-nonce", "retry-after", "www-authenticate"];
// A Response of these statuses may have no body.
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Parts of a bounded `fetch`. */
export interface BoundedFetchInit {
  /** Default: that of the runtime. */
  readonly fetch?: AuthorizationFetch | undefined;
  readonly guard?: ConnectionGuard | undefined;
  readonly server: GuardedServer;
  /** Ends every request. */
  readonly closing: AbortSignal;
  /**
   * `"head"`: leaves the body of an answer alone, because it may be a stream without an end.
   * Default `"body"`.
   */
  readonly reads?: "head" | "body" | undefined;
}

/**
 * A `fetch` for requests that carry credentials, with the bounds that a connector's has: an answer
 * within 30 s and 1 MiB, decompressed, over `https:` or on this machine alone, and past the guard.
 * It follows no redirect, nor can its caller, because it does not say where to: a GET is answered
 * with the status, a POST fails with `redirect_refused`. Like any `fetch` it fails with a
 * `TypeError`; its cause is the `HostsideError`, or what the `fetch` beneath failed with.
 */
export function createBoundedFetch(init: BoundedFetchInit): AuthorizationFetch {
  const { server, closing, fetch = (...given) => globalThis.fetch(...given), reads = "body" } = init;
  const { serverId } = server;
  const failure = (
    code: HostsideErrorCode,
    text: string,
    extras: Omit<HostsideErrorInit, "code"> = {},
  ): HostsideError => new HostsideError(`${nameServer(serverId)}: ${text}`, { ...extras, code, serverId });

  const assertAllowed = (url: URL): void => {
    if (!isConfidentialUrl(url)) {
      const scheme = url.protocol.slice(0, 20);
      const text = `a request for an authorization would travel unencrypted (${scheme}); authorization servers are reached by https: alone`;
      throw failure("invalid_spec", text);
    }
    // Not the path and the query, which may be somebody's secret, nor user info.
    const what = `connecting to ${cleanText(`${url.protocol}//${url.host}`, 300)}`;
    let refusal;
    try {
      refusal = init.guard?.checkUrl(url, server) ?? init.guard?.checkAddress(addressIn(url), url, server);
    } catch (cause) {
      throw failure("internal_error", `${what} is refused: the guard failed`, { outcome: "not-sent", cause });
    }
    if (refusal === undefined) return;
    const text = `${what} is not allowed: ${cleanText(refusal.reason, 300)} (rule ${quoteText(refusal.rule)})`;
    throw failure("not_allowed", text, { outcome: "not-sent", details: { policy: refusal.rule } });
  };
  const send = async (url: URL, options: RequestInit, signal: AbortSignal): Promise<Response> => {
    signal.throwIfAborted();
    const work = fetch(url, { ...options, redirect: "manual", signal });
    const response = await untilAborted(work, signal).catch((error: unknown) => {
      void work.then(discard).catch(() => {});
      throw error;
    });
    // A browser hides what redirects.
    const status = response.type === "opaqueredirect" ? 302 : response.status;
    if (options.method === "POST" && status >= 300 && status < 400) {
      discard(response);
      const text = `HTTP ${status} from ${url.origin}: it redirects a request with credentials; redirects are never followed`;
      throw failure("redirect_refused", text, { outcome: "failed", details: { httpStatus: status } });
    }
    const headers = new Headers();
    for (const name of passedHeaders) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    if (reads === "head") discard(response);
    const text = reads === "head" ? undefined : await readText(response, signal);
    if (text === null) throw failure("message_too_large", `${url.origin} sent more than ${maxBodyBytes} bytes`);
    return new Response(bodiless.has(status) ? undefined : text, { status, headers });
  };
  return async (target, options = {}) => {
    try {
      const url = new URL(target);
      assertAllowed(url);
      const deadline = createDeadline({
        timeoutMs,
        signal: options.signal == null ? closing : AbortSignal.any([options.signal, closing]),
        onTimeout: () =>
          failure("request_timeout", `no answer from ${url.origin} within ${formatMs(timeoutMs)}`, {
            details: { timeoutMs },
          }),
      });
      try {
        return await send(url, options, deadline.signal);
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

/** The body as text; `null` if it is too long. */
async function readText({ body }: Response, signal: AbortSignal): Promise<string | null> {
  if (body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    while (length <= maxBodyBytes) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) return text + decoder.decode();
      length += value.length;
      text += decoder.decode(value, { stream: true });
    }
    return null;
  } finally {
    // Without effect on a body that was read to its end.
    reader.cancel().catch(() => {});
  }
}

function discard({ body }: Response): void {
  body?.cancel().catch(() => {});
}

// The parser writes every spelling of an address in this way.
function addressIn({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}
