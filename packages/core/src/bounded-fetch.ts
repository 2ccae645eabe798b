import { addressIn, findGuardRefusal, type ConnectionGuard, type GuardedServer } from "./connection-guard.ts";
import { isConfidentialUrl } from "./check-http-spec.ts";
import { createDeadline } from "./deadline.ts";
import { HostsideError, isHostsideError, type HostsideErrorInit, type HostsideErrorCode } from "./hostside-error.ts";
import { learnOAuthAnswer, learnOAuthRequest, type SecretMemory } from "./redaction.ts";
import type { AuthorizationFetch } from "./server-credentials.ts";
import { formatMs, cleanText } from "./text.ts";
import { untilAborted } from "./waiting.ts";

const timeoutMs = 30_000;
const maxBodyBytes = 1024 * 1024;
// What OAuth code reads of a response. Without `location` no code can follow a redirect.
const passedHeaders = ["content-type", "dpop-nonce", "retry-after", "www-authenticate"];
// A Response of these statuses may have no body.
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** As much of a `Response` as a bounded `fetch` reads. */
export interface BareResponse extends Pick<Response, "body" | "status" | "type"> {
  readonly headers: Pick<Headers, "get">;
}

/** Parts of a bounded `fetch`. */
export interface BoundedFetchInit {
  /** Default: that of the runtime. */
  readonly fetch?: ((url: string | URL, init: RequestInit) => Promise<BareResponse>) | undefined;
  readonly guard?: ConnectionGuard | undefined;
  readonly server: GuardedServer;
  /** Ends every request. Default: nothing does. */
  readonly closing?: AbortSignal | undefined;
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
 * `TypeError`, whose cause is the `HostsideError` or what the `fetch` beneath failed with, or with
 * the reason of its `signal`.
 */
export function createBoundedFetch(init: BoundedFetchInit): AuthorizationFetch {
  const { server, guard, closing, fetch = (...given) => globalThis.fetch(...given), reads = "body" } = init;
  const { serverId } = server;
  const failure = (
    code: HostsideErrorCode,
    text: string,
    extras: Omit<HostsideErrorInit, "code"> = {},
  ): HostsideError =>
    new HostsideError(`server ${JSON.stringify(cleanText(serverId, 200))}: ${text}`, { ...extras, code, serverId });

  const assertAllowed = (url: URL): void => {
    if (!isConfidentialUrl(url)) {
      const scheme = url.protocol.slice(0, 20);
      const text = `a request for an authorization would travel unencrypted (${scheme}); authorization servers are reached by https: alone`;
      throw failure("invalid_spec", text);
    }
    const refusal =
      guard &&
      findGuardRefusal({
        server,
        what: url,
        ask: () => guard.checkUrl(url, server) ?? guard.checkAddress(addressIn(url), url, server),
      });
    if (refusal !== undefined) throw refusal;
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
        signal: AbortSignal.any([options.signal, closing].filter((signal) => signal != null)),
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
      options.signal?.throwIfAborted();
      // A fetch of a connector's kind has wrapped what it knows already.
      if (error instanceof TypeError && isHostsideError(error.cause)) throw error;
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

/** The body as text; `null` if it is too long. */
async function readText({ body }: BareResponse, signal: AbortSignal): Promise<string | null> {
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

function discard({ body }: BareResponse): void {
  body?.cancel().catch(() => {});
}

/**
 * Makes a `fetch` that remembers every secret that it sends, and that an answer brings, so that
 * none is in a text afterwards.
 */
export function learnSecrets(fetch: AuthorizationFetch, secrets: SecretMemory): AuthorizationFetch {
  return async (url, init = {}) => {
    const { headers: sent, body } = init;
    const form = typeof body === "string" || body instanceof URLSearchParams ? body : undefined;
    learnOAuthRequest({ headers: new Headers(sent), form }, secrets);
    const response = await fetch(url, init);
    const { status, headers } = response;
    const text = await response.text();
    learnOAuthAnswer(text, secrets);
    return new Response(bodiless.has(status) ? null : text, { status, headers });
  };
}
