import { untilAborted } from "@hostside/core/implement";
import type { EmbeddingClient } from "./embedding-client.ts";

/** Vectors of queries. */
export interface QueryVectors {
  /**
   * That of a query; `undefined` when it cannot be had now, or not before the signal aborts. Never
   * rejects.
   */
  find(query: string, signal: AbortSignal): Promise<Float32Array | undefined>;
}

// Each search that waits holds one; beyond that, the endpoint is not what helps.
const mostUnderWay = 16;
const maxLength = 1000;

/**
 * Remembers the vectors of the latest queries. Who asks the same at the same time shares one
 * request, and one that takes longer than a search waits is there for the next.
 */
export function createQueryVectors(client: EmbeddingClient, most: number): QueryVectors {
  const known = new Map<string, Float32Array>();
  const underWay = new Map<string, Promise<Float32Array | undefined>>();
  const remember = (text: string, vector: Float32Array): void => {
    known.delete(text);
    known.set(text, vector);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  };
  const ask = async (text: string): Promise<Float32Array | undefined> => {
    const answer = await client.embed([text], "query");
    underWay.delete(text);
    const vector = typeof answer === "string" ? undefined : answer[0];
    if (vector !== undefined) remember(text, vector);
    return vector;
  };
  const start = (text: string): Promise<Float32Array | undefined> => {
    const work = ask(text);
    underWay.set(text, work);
    return work;
  };
  return {
    async find(query, signal) {
      const text = query.trim().slice(0, maxLength);
      if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
      const vector = known.get(text);
      if (vector !== undefined) {
        remember(text, vector);
        return vector;
      }
      const work = underWay.get(text) ?? (underWay.size < mostUnderWay ? start(text) : undefined);
      // Given up by who searches: the answer is still of use to the next.
      return work && untilAborted(work, signal).catch(() => undefined);
    },
  };
}
