import type { Adapter, Measured, Measurement } from "./measure.ts";
import { spreadOf, type Spread } from "./statistics.ts";
import type { Metric, Workload } from "./workloads/workload.ts";

/** What the rounds of one workload say of one contender. */
export interface Row {
  readonly adapter: string;
  readonly name: string;
  readonly version: string;
  /**
   * By metric; a spread of the ratios, or of the numbers themselves. A metric that no round
   * measured is not in it.
   */
  readonly values: Readonly<Record<string, Spread>>;
  /** How many rounds failed, and why the first of them did. */
  readonly failures: number;
  readonly failure?: string;
  /** The day on which it was measured, where that is not the day of the others. */
  readonly date?: string;
}

/** Options of {@linkcode runRounds}. */
export interface RoundsOptions {
  readonly rounds: number;
  readonly floor: Adapter;
  readonly measure: (adapter: Adapter, workload: string) => Promise<Measurement>;
}

interface Pair {
  readonly own: Measurement;
  /** Absent where nothing is compared with it. */
  readonly floor?: Measurement;
}

/**
 * Measures every contender in turn, round by round, each right after the floor that it is compared
 * with: what the machine does beside it falls on both. A first measurement of the floor warms the
 * machine up and is thrown away.
 */
export async function runRounds(
  workload: Workload,
  contenders: readonly Adapter[],
  { rounds, floor, measure }: RoundsOptions,
): Promise<readonly Row[]> {
  const compares = workload.metrics.some(({ as }) => as !== "absolute");
  if (compares) await measure(floor, workload.id);
  const pairs = new Map<string, readonly Pair[]>();
  for (let round = 0; round < rounds; round += 1) {
    // Another order in each round, so that nobody always comes after the same neighbour.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const below = compares ? { floor: await measure(floor, workload.id) } : {};
      const own = await measure(contender, workload.id);
      pairs.set(contender.id, [...(pairs.get(contender.id) ?? []), { own, ...below }]);
    }
  }
  return contenders.map((contender) => toRow(contender, pairs.get(contender.id) ?? [], workload.metrics));
}

function toRow(contender: Adapter, pairs: readonly Pair[], metrics: readonly Metric[]): Row {
  const good = pairs.flatMap(({ own, floor }) => {
    if (!own.ok || floor?.ok === false) return [];
    return [{ own: own.value, floor: floor?.value }];
  });
  const failed = pairs
    .map(({ own, floor }) => reasonOf(own) ?? reasonOf(floor))
    .filter((reason) => reason !== undefined);
  const [failure] = failed;
  const values = metrics
    .map((metric) => [metric.name, spreadOf(reported(metric, good))] as const)
    .filter(([, { median }]) => Number.isFinite(median));
  return {
    adapter: contender.id,
    name: good[0]?.own.name ?? contender.id,
    version: good[0]?.own.version ?? "",
    values: Object.fromEntries(values),
    failures: failed.length,
    ...(failure !== undefined && { failure }),
  };
}

function reported(metric: Metric, pairs: readonly { own: Measured; floor: Measured | undefined }[]): readonly number[] {
  return pairs.map(({ own, floor }) => {
    const value = own.metrics[metric.name] ?? Number.NaN;
    return metric.as === "absolute" ? value : value / (floor?.metrics[metric.name] ?? Number.NaN);
  });
}

function reasonOf(measurement: Measurement | undefined): string | undefined {
  return measurement?.ok === false ? measurement.reason : undefined;
}
