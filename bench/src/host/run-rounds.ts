import type { Adapter, Measurement } from "./measure.ts";
import { spreadOf, type Spread } from "./statistics.ts";
import type { Metric, Workload } from "./workloads/workload.ts";

/** What the rounds of one workload say of one contender. */
export interface Row {
  readonly adapter: string;
  readonly name: string;
  readonly version: string;
  /** By metric; a spread of the ratios, or of the numbers themselves. Absent when the contender failed. */
  readonly values: ReadonlyMap<string, Spread>;
  /** Why there are no values. */
  readonly failure?: string;
}

/** Options of {@linkcode runRounds}. */
export interface RoundsOptions {
  readonly rounds: number;
  readonly floor: Adapter;
  readonly measure: (adapter: Adapter, workload: string) => Promise<Measurement>;
  readonly onMeasured?: (adapter: Adapter, measurement: Measurement) => void;
}

/**
 * Measures every contender in turn, round by round, each right after the floor that it is compared with: what the machine does
 * beside it falls on both. The first round of all is a warm-up of the machine and is thrown away.
 */
export async function runRounds(
  workload: Workload,
  contenders: readonly Adapter[],
  options: RoundsOptions,
): Promise<readonly Row[]> {
  const { rounds, floor, measure, onMeasured } = options;
  await measure(floor, workload.id);
  const pairs = new Map<string, { readonly own: Measurement; readonly floor: Measurement }[]>();
  for (let round = 0; round < rounds; round += 1) {
    // Another order in each round, so that nobody always comes after the same neighbour.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const [below, own] = [await measure(floor, workload.id), await measure(contender, workload.id)];
      onMeasured?.(contender, own);
      pairs.set(contender.id, [...(pairs.get(contender.id) ?? []), { own, floor: below }]);
    }
  }
  return contenders.map((contender) => toRow(contender, pairs.get(contender.id) ?? [], workload.metrics));
}

function toRow(
  contender: Adapter,
  pairs: readonly { readonly own: Measurement; readonly floor: Measurement }[],
  metrics: readonly Metric[],
): Row {
  const good = pairs.flatMap(({ own, floor }) => (own.ok && floor.ok ? [{ own, floor }] : []));
  const [first] = good;
  if (first === undefined) {
    const failed = pairs.find(({ own }) => !own.ok)?.own;
    return {
      adapter: contender.id,
      name: contender.id,
      version: "",
      values: new Map(),
      failure: failed?.ok === false ? failed.reason : "not measured",
    };
  }
  const values = new Map(
    metrics.map((metric) => [
      metric.name,
      spreadOf(good.map(({ own, floor }) => reported(metric, own.metrics[metric.name], floor.metrics[metric.name]))),
    ]),
  );
  return { adapter: contender.id, name: first.own.name, version: first.own.version, values };
}

function reported({ as }: Metric, own = Number.NaN, floor = Number.NaN): number {
  return as === "absolute" ? own : own / floor;
}
