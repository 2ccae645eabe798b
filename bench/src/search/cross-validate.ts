import { createRandom } from "./seeded-random.ts";

/** One setting, and how it did on each query: 1 / rank of the first answer, or 0. */
export interface Candidate {
  readonly scores: readonly number[];
}

/** What is gained on average, and between what and what with 95 % confidence. */
export interface Gain {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const foldCount = 5;
const resamples = 2000;

/** The fold of each query: all queries of a server are in the same one. */
export function foldsOf(servers: readonly string[]): readonly number[] {
  const order = Array.from(new Set(servers)).sort();
  return servers.map((server) => order.indexOf(server) % foldCount);
}

/**
 * Which candidate each fold's queries are judged by: the best on average over the other folds. So
 * no query is judged by a setting that it, or its server, had a say in.
 */
export function chooseByFold<T extends Candidate>(candidates: readonly T[], servers: readonly string[]): readonly T[] {
  const folds = foldsOf(servers);
  return Array.from({ length: foldCount }, (_, fold) => {
    const onOthers = ({ scores }: T): number =>
      scores.reduce((sum, score, at) => (folds[at] === fold ? sum : sum + score), 0);
    const [first, ...others] = candidates;
    if (first === undefined) throw new TypeError("at least one candidate");
    return others.reduce((best, candidate) => (onOthers(candidate) > onOthers(best) ? candidate : best), first);
  });
}

/**
 * How much better `after` is than `before`, query by query; the spread is a bootstrap over servers.
 */
export function pairedGain(before: readonly number[], after: readonly number[], servers: readonly string[]): Gain {
  const byServer = new Map<string, number[]>();
  for (const [at, server] of servers.entries()) {
    const differences = byServer.get(server) ?? [];
    differences.push((after[at] ?? 0) - (before[at] ?? 0));
    byServer.set(server, differences);
  }
  const groups = Array.from(byServer.values());
  const random = createRandom(20261123);
  const means = Array.from({ length: resamples }, () => {
    const drawn = groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? []);
    return meanOf(drawn);
  }).sort((a, b) => a - b);
  return {
    mean: meanOf(groups.flat()),
    low: means[Math.floor(resamples * 0.025)] ?? 0,
    high: means[Math.floor(resamples * 0.975)] ?? 0,
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
