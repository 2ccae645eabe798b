import { HostsideError } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  isConfidentialUrl,
  isCredentialHeader,
  parseRetryAfter,
  type Fields,
} from "@hostside/core/implement";
import type { Embedder } from "./create-embedding-ranker.ts";

/** Options of {@linkcode createOpenAiEmbedder}. */
export interface OpenAiEmbedderOptions {
  /**
   * The address of the endpoint, such as `https://api.openai.com/v1/embeddings`. An address that
   * gets a key is `https:` or on this machine.
   */
  readonly url: string;
  readonly model: string;
  /** The key, sent as a bearer token; asked for before each request. Default: none is sent. */
  readonly apiKey?: (() => string | Promise<string>) | undefined;
  /** Sent with each request. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const fields: Fields<OpenAiEmbedderOptions> = {
  url: true,
  model: true,
  apiKey: true,
  headers: true,
  fetch: true,
};

/**
 * Makes an embedder of any endpoint that speaks as OpenAI's `/v1/embeddings` does. Redirects are
 * refused, and neither a key nor what the endpoint says of a failure is in an error: `http_error`
 * (with its status and `retryAfterMs`), `redirect_refused`, `invalid_output`, `unreachable`.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type, and for a key that would
 * travel unencrypted.
 *
 * @example
 * const embedder = createOpenAiEmbedder({
 *   url: "https://models.internal/v1/embeddings",
 *   model: "text-embedding-3-small",
 * });
 * const embeddingRanker = createEmbeddingRanker({ embedder });
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const url = readUrl(options);
  const { model, apiKey, headers = {}, fetch = globalThis.fetch } = options;
  return {
    async embed(texts, { signal }) {
      const body = JSON.stringify({ model, input: texts });
      const sent = new Headers({ ...headers, "content-type": "application/json", accept: "application/json" });
      if (apiKey !== undefined) setBearer(sent, await apiKey());
      const init: RequestInit = { method: "POST", headers: sent, body, redirect: "manual", signal };
      return readEmbeddings(await readJson(await send(fetch, url, init), signal, url), texts.length);
    },
  };
}

function setBearer(headers: Headers, key: unknown): void {
  try {
    if (typeof key !== "string" || key === "") throw new TypeError("no key");
    headers.set("authorization", `Bearer ${key}`);
  } catch {
    // The key itself is in no message.
    throw new TypeError("apiKey() gave no usable key");
  }
}

async function send(fetch: typeof globalThis.fetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new HostsideError(`${url.origin} could not be reached`, { code: "unreachable" });
  }
}

/** Reads JSON. No error says what the endpoint wrote, which may quote the key or the texts. */
async function readJson(response: Response, signal: AbortSignal, { origin }: URL): Promise<unknown> {
  const { type, status, ok, headers } = response;
  if (!ok) response.body?.cancel().catch(() => {});
  // A browser hides what redirects.
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    throw new HostsideError(`${origin} redirects, which is never followed`, { code: "redirect_refused" });
  }
  if (!ok) {
    const retryAfterMs = parseRetryAfter(headers.get("retry-after") ?? undefined, clock.date());
    throw new HostsideError(`HTTP ${status} from ${origin}`, {
      code: "http_error",
      details: { httpStatus: status, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    });
  }
  try {
    return await response.json();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new HostsideError(`${origin} answered what is no JSON`, { code: "invalid_output" });
  }
}

/** Reads one vector for each text, in the order of the texts. */
function readEmbeddings(answer: unknown, count: number): readonly ArrayLike<number>[] {
  const data: unknown = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : undefined;
  const vectors: ArrayLike<number>[] = [];
  for (const [place, entry] of Array.isArray(data) ? (data as unknown[]).entries() : []) {
    if (typeof entry !== "object" || entry === null || !("embedding" in entry)) continue;
    const index: unknown = "index" in entry ? entry.index : place;
    if (typeof index === "number" && Array.isArray(entry.embedding)) vectors[index] = entry.embedding as number[];
  }
  if (vectors.length === count && Object.keys(vectors).length === count) return vectors;
  throw new HostsideError(`the endpoint did not answer one embedding for each of ${count} texts`, {
    code: "invalid_output",
  });
}

function readUrl(options: OpenAiEmbedderOptions): URL {
  assertKnownOptions("createOpenAiEmbedder()", options, fields);
  const { url: text, model, apiKey, headers = {} } = options;
  if (typeof model !== "string" || model === "") throw new TypeError("model must be a text that is not empty");
  if (apiKey !== undefined && typeof apiKey !== "function") throw new TypeError("apiKey must be a function");
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("url must be an address of http: or https:");
  }
  if (url.username !== "" || url.password !== "") throw new TypeError("url must hold no credentials; use apiKey");
  const hasKey = apiKey !== undefined || Object.keys(headers).some(isCredentialHeader);
  if (hasKey && !isConfidentialUrl(url)) {
    throw new TypeError("url must be https: or on this machine, because a key is sent there");
  }
  return url;
}
