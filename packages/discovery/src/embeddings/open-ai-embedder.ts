import {
  systemClock,
  assertKnownOptions,
  isConfidentialUrl,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  kindOf,
  type Fields,
} from "@hostside/core/implement";
import type { Clock } from "@hostside/core";
import type { Embedder } from "./embedder.ts";
import { postJson, type EmbeddingFetch } from "./post-json.ts";
import { readEmbeddings } from "./read-embeddings.ts";

/** Options of {@linkcode createOpenAiEmbedder}. */
export interface OpenAiEmbedderOptions {
  /**
   * The address of the endpoint, such as `https://api.openai.com/v1/embeddings`. One that gets a
   * key is `https:` or on this machine.
   */
  readonly url: string;
  readonly model: string;
  /** The key, sent as a bearer token; asked for before each request. Default: none is sent. */
  readonly apiKey?: (() => string | Promise<string>) | undefined;
  /** Sent with each request. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How long vectors are to be, for models that can choose. Default: as the model has them. */
  readonly dimensions?: number | undefined;
  /**
   * How vectors are asked for. Both are understood, whichever the endpoint sends. Default
   * `"base64"`, which is a quarter of the size.
   */
  readonly encoding?: "base64" | "float" | undefined;
  /** Most texts of one request. Default 64. */
  readonly maxTexts?: number | undefined;
  /** What the model wants to stand before a tool's text, such as `"passage: "`. Default `""`. */
  readonly toolPrefix?: string | undefined;
  /** What the model wants to stand before a query, such as `"query: "`. Default `""`. */
  readonly queryPrefix?: string | undefined;
  /** Most bytes of an answer, decompressed. Default 16 MiB. */
  readonly maxAnswerBytes?: number | undefined;
  /** Default: that of the runtime. */
  readonly fetch?: EmbeddingFetch | undefined;
  /** For a `Retry-After` that is a date. Default: the real time. */
  readonly clock?: Clock | undefined;
}

const fields: Fields<OpenAiEmbedderOptions> = {
  url: true,
  model: true,
  apiKey: true,
  headers: true,
  dimensions: true,
  encoding: true,
  maxTexts: true,
  toolPrefix: true,
  queryPrefix: true,
  maxAnswerBytes: true,
  fetch: true,
  clock: true,
};

/**
 * Embeds by any endpoint that speaks as OpenAI's `/v1/embeddings` does. Redirects are refused,
 * answers bounded, and neither a key nor what the endpoint says of a failure is in an error:
 * `http_error` (with its status and `retryAfterMs`), `redirect_refused`, `message_too_large`,
 * `invalid_output`, `unreachable`.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type, and for a key that would
 * travel unencrypted.
 */
export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const url = readUrl(options);
  const { model, dimensions, apiKey, headers = {}, encoding = "base64", toolPrefix = "", queryPrefix = "" } = options;
  const { maxAnswerBytes = 16 * 1024 * 1024, maxTexts, fetch, clock = systemClock } = options;
  return {
    id: JSON.stringify([url.origin + url.pathname, model, dimensions ?? null, toolPrefix, queryPrefix]),
    maxTexts,
    async embed(texts, { purpose, signal }) {
      const prefix = purpose === "query" ? queryPrefix : toolPrefix;
      const input = prefix === "" ? texts : texts.map((text) => prefix + text);
      const body = { model, input, encoding_format: encoding, ...(dimensions !== undefined && { dimensions }) };
      const answer = await postJson({
        url,
        body,
        headers: { ...headers, ...(apiKey && { authorization: await bearer(apiKey) }) },
        signal,
        fetch,
        clock,
        maxBytes: maxAnswerBytes,
      });
      return readEmbeddings(answer, texts.length);
    },
  };
}

async function bearer(apiKey: () => string | Promise<string>): Promise<string> {
  const key: unknown = await apiKey();
  // The key itself is in no message.
  if (typeof key !== "string" || key === "" || !isHeaderValue(key)) throw new TypeError("apiKey() gave no usable key");
  return `Bearer ${key}`;
}

function readUrl(options: OpenAiEmbedderOptions): URL {
  assertKnownOptions("createOpenAiEmbedder()", options, fields);
  const { url: text, apiKey, fetch, headers = {}, encoding } = options;
  assertTexts(options);
  for (const [name, value] of Object.entries({ apiKey, fetch })) {
    if (value === undefined || typeof value === "function") continue;
    throw new TypeError(`${name} must be a function, not ${kindOf(value)}`);
  }
  if (encoding !== undefined && encoding !== "base64" && encoding !== "float") {
    throw new TypeError('encoding must be "base64" or "float"');
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name) || typeof value !== "string" || !isHeaderValue(value)) {
      throw new TypeError(`headers has a name or value that cannot be sent: ${JSON.stringify(name.slice(0, 80))}`);
    }
  }
  const url = parseUrl(text);
  const hasKey = apiKey !== undefined || Object.keys(headers).some(isCredentialHeader);
  if (hasKey && !isConfidentialUrl(url)) {
    throw new TypeError("url must be https: or on this machine, because a key is sent there");
  }
  return url;
}

function assertTexts(options: OpenAiEmbedderOptions): void {
  const { model, toolPrefix = "", queryPrefix = "" } = options;
  if (typeof model !== "string" || model === "") throw new TypeError("model must be a text that is not empty");
  if (typeof toolPrefix !== "string" || typeof queryPrefix !== "string") {
    throw new TypeError("toolPrefix and queryPrefix must be texts");
  }
  for (const name of ["dimensions", "maxTexts", "maxAnswerBytes"] as const) {
    const value = options[name];
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw new TypeError(`${name} must be a whole number of 1 or more`);
  }
}

function parseUrl(text: unknown): URL {
  const url = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError("url must be an address of http: or https:");
  if (url.username !== "" || url.password !== "") throw new TypeError("url must hold no credentials; use apiKey");
  return url;
}
