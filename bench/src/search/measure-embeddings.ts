// What an index of embeddings costs among 10,000 tools, besides the model: memory, and the time of
// a search: its best, because other work only ever adds. Vectors are made up, so nothing is said of
// what they find. Prints a table and writes it into docs/internals/search-measurements.md.
import { createEvent } from "@hostside/core/implement";
import { createEmbeddingRanker, type Embedder } from "@hostside/discovery";
import { makeDistractors } from "./distractors.ts";
import { tableOf, writeTable } from "./write-table.ts";

const toolCount = 10_000;
const rounds = 60;
const definitions = makeDistractors(toolCount).flatMap(({ tools }) => tools);
const rows: (readonly string[])[] = [];
for (const dimensions of [384, 1024, 1536, 3072]) rows.push(await measure(dimensions));
writeTable("embeddings", tableOf(["dimensions", "MB kept", "a search, ms"], rows));

async function measure(dimensions: number): Promise<readonly string[]> {
  const before = bytesInUse();
  const ranker = createEmbeddingRanker({ embedder: madeUp(dimensions) });
  ranker.follow({ tools: () => definitions, onToolsChanged: createEvent<void>().on, report: () => {} });
  const ask = (query: string) => ranker({ query, definitions, limit: 50, signal: new AbortController().signal });
  await ranker.whenIdle();
  // One query, so that its vector is remembered and no model is asked.
  await ask("query");
  const bytes = bytesInUse() - before;
  if (ranker.status().ready < definitions.length * 0.9) throw new Error("the index is not there");
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await ask("query");
    times.push(performance.now() - start);
  }
  ranker.close();
  return [String(dimensions), (bytes / 1e6).toFixed(1), Math.min(...times).toFixed(1)];
}

/** Vectors that look random and are the same each time. */
function madeUp(dimensions: number): Embedder {
  let seed = 1;
  const next = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  return {
    embed: async (texts) => texts.map(() => Float32Array.from({ length: dimensions }, next)),
  };
}

function bytesInUse(): number {
  if (globalThis.gc === undefined) throw new Error("run with node --expose-gc");
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
