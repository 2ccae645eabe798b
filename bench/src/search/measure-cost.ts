import type { Ranker } from "./rankers.ts";
import type { ToolSetServer } from "./tool-set.ts";

/** What a ranking costs. */
export interface Cost {
  /**
   * Milliseconds of one query: each query's median over several rounds, then the 50th and 99th
   * percentile of the queries.
   */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * Milliseconds to build an index that is ready for its first query: the best of several, because
   * other work only ever adds.
   */
  readonly buildMs: number;
  /** Bytes an index keeps, without the definitions themselves. */
  readonly bytes: number;
}

const rounds = 15;
const builds = 15;

/** Measures one ranker. Needs `node --expose-gc`. */
export function measureCost(ranker: Ranker, servers: readonly ToolSetServer[], queries: readonly string[]): Cost {
  const search = ranker.build(servers);
  // The first rounds warm up the compiler; they are not counted.
  for (let round = 0; round < 5; round += 1) for (const query of queries) search(query, 10);
  const times = queries.map((query) => median(repeat(rounds, () => search(query, 10))));
  const buildMs = Math.min(...repeat(builds, () => ranker.build(servers)));
  return {
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    buildMs,
    bytes: measureBytes(ranker, servers),
  };
}

function repeat(count: number, work: () => unknown): readonly number[] {
  return Array.from({ length: count }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
}

function measureBytes(ranker: Ranker, servers: readonly ToolSetServer[]): number {
  const before = bytesInUse();
  const search = ranker.build(servers);
  const bytes = bytesInUse() - before;
  // Used once more, so that it could not be collected before.
  search("anything", 1);
  return bytes;
}

function bytesInUse(): number {
  if (globalThis.gc === undefined) throw new Error("run with node --expose-gc");
  // The first run frees what finalizers still hold on to, the second one that.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
