import {
  systemClock,
  assertKnownOptions,
  dateOf,
  isPlainObject,
  parseRetryAfter,
  type Fields,
} from "@hostside/core/implement";
import { HostsideError, type Clock } from "@hostside/core";
import type { Embedder } from "./embedder.ts";

/** Of the AI SDK's `embedMany`, what is used here. */
export type EmbedMany<Model> = (request: {
  readonly model: Model;
  readonly values: string[];
  readonly maxRetries: number;
  readonly abortSignal: AbortSignal;
}) => PromiseLike<{ readonly embeddings: readonly ArrayLike<number>[] }>;

/** Options of {@linkcode createAiSdkEmbedder}. */
export interface AiSdkEmbedderOptions<Model> {
  /**
   * The function of the package `ai`; or one of yours that adds to the request, such as
   * `providerOptions`, and then give it an `id`.
   */
  readonly embedMany: EmbedMany<Model>;
  readonly model: Model;
  /**
   * What decides what a vector looks like. Default: the provider and the id of the model, or the
   * model if it is a text.
   */
  readonly id?: string | undefined;
  /** Most texts of one call; `embedMany` splits what is more than a model takes. Default 64. */
  readonly maxTexts?: number | undefined;
  /** For a `Retry-After` that is a date. Default: the real time. */
  readonly clock?: Clock | undefined;
}

const fields: Fields<AiSdkEmbedderOptions<unknown>> = {
  embedMany: true,
  model: true,
  id: true,
  maxTexts: true,
  clock: true,
};

/**
 * Embeds by the AI SDK's `embedMany`. It tries nothing again, because who asks it waits as the
 * endpoint says; of what it throws, the status and `Retry-After` are kept, and no text.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type.
 */
export function createAiSdkEmbedder<Model>(options: AiSdkEmbedderOptions<Model>): Embedder {
  assertKnownOptions("createAiSdkEmbedder()", options, fields);
  const { embedMany, model, id = nameOf(model), maxTexts, clock = systemClock } = options;
  if (typeof embedMany !== "function") throw new TypeError("embedMany must be a function");
  if (typeof id !== "string" || id === "") throw new TypeError("id must be a text that is not empty");
  return {
    id,
    maxTexts,
    async embed(texts, { signal }) {
      try {
        const request = { model, values: Array.from(texts), maxRetries: 0, abortSignal: signal };
        return (await embedMany(request)).embeddings;
      } catch (error) {
        if (signal.aborted) throw error;
        throw withoutTexts(error, { id, clock });
      }
    },
  };
}

function nameOf(model: unknown): string {
  if (typeof model === "string") return model;
  const { provider, modelId } = (model ?? {}) as { readonly provider?: unknown; readonly modelId?: unknown };
  if (typeof provider === "string" && typeof modelId === "string") return `${provider}:${modelId}`;
  throw new TypeError("model says neither provider nor modelId: give it an id");
}

/** What the SDK throws holds the request, the answer and its headers. */
function withoutTexts(error: unknown, { id, clock }: { readonly id: string; readonly clock: Clock }): HostsideError {
  const { statusCode, responseHeaders } = (error ?? {}) as {
    readonly statusCode?: unknown;
    readonly responseHeaders?: unknown;
  };
  if (typeof statusCode !== "number") {
    const name = error instanceof Error ? error.name : typeof error;
    return new HostsideError(`${id} failed (${name})`, { code: "unreachable" });
  }
  const header = isPlainObject(responseHeaders) ? responseHeaders["retry-after"] : undefined;
  const retryAfterMs = parseRetryAfter(typeof header === "string" ? header : undefined, dateOf(clock));
  return new HostsideError(`HTTP ${statusCode} from ${id}`, {
    code: "http_error",
    details: { httpStatus: statusCode, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  });
}
