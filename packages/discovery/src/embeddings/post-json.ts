import { dateOf, parseRetryAfter, untilAborted } from "@hostside/core/implement";
import { isHostsideError, HostsideError, type Clock } from "@hostside/core";

/** Of a `fetch`, what is used here. */
export type EmbeddingFetch = (url: URL, init: RequestInit) => Promise<Response>;

/** One request. */
export interface PostRequest {
  readonly url: URL;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly fetch: EmbeddingFetch | undefined;
  readonly clock: Clock;
  readonly maxBytes: number;
}

/**
 * Posts JSON and reads JSON. No error says what the endpoint wrote, which may quote the key or the
 * texts.
 */
export async function postJson(request: PostRequest): Promise<unknown> {
  const { url, signal, clock, maxBytes } = request;
  signal.throwIfAborted();
  const response = await send(request);
  if (isRedirect(response)) {
    discard(response);
    throw new HostsideError(`${url.origin} redirects, which is never followed`, { code: "redirect_refused" });
  }
  if (!response.ok) {
    discard(response);
    const retryAfterMs = parseRetryAfter(response.headers.get("retry-after") ?? undefined, dateOf(clock));
    throw new HostsideError(`HTTP ${response.status} from ${url.origin}`, {
      code: "http_error",
      details: { httpStatus: response.status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    });
  }
  const text = await readText(response, { signal, maxBytes, origin: url.origin });
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new HostsideError(`${url.origin} answered what is no JSON`, { code: "invalid_output" });
  }
}

async function send({ url, body, headers, signal, fetch = globalThis.fetch }: PostRequest): Promise<Response> {
  const work = (async () =>
    fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    }))();
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (signal.aborted) {
      // What comes too late is of use to nobody.
      void work.then(discard, () => {});
      throw error;
    }
    throw new HostsideError(`${url.origin} could not be reached`, { code: "unreachable" });
  }
}

function isRedirect({ type, status }: Response): boolean {
  // A browser hides what redirects.
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

async function readText(
  response: Response,
  { signal, maxBytes, origin }: { readonly signal: AbortSignal; readonly maxBytes: number; readonly origin: string },
): Promise<string> {
  if (response.body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  try {
    while (true) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) return parts.join("") + decoder.decode();
      bytes += value.length;
      if (bytes > maxBytes) {
        throw new HostsideError(`${origin} sent more than ${maxBytes} bytes`, { code: "message_too_large" });
      }
      parts.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (signal.aborted || isHostsideError(error)) throw error;
    throw new HostsideError(`the answer of ${origin} broke off`, { code: "connection_closed" });
  }
}

function discard({ body }: Response): void {
  body?.cancel().catch(() => {});
}
