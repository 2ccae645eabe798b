import type { GrowthPoint } from "./measure-growth.ts";

/** One operation over all sizes. */
export interface Growth {
  readonly series: string;
  /** From the smallest size to the largest. */
  readonly points: readonly GrowthPoint[];
  /**
   * How cost grows over the last tenfold: 0 when it does not, 1 when ten times the size costs ten
   * times as much, 2 when it costs a hundred times as much.
   */
  readonly exponent: number;
}

/** The points of one kind of size, by operation. */
export function growthOf(points: readonly GrowthPoint[], of: GrowthPoint["of"]): readonly Growth[] {
  const kind = points.filter((point) => point.of === of);
  return [...new Set(kind.map(({ series }) => series))].map((series) => {
    const own = kind.filter((point) => point.series === series);
    const sorted = own.toSorted((a, b) => a.size - b.size);
    const [last, before] = [sorted.at(-1), sorted.at(-2)];
    const exponent =
      last === undefined || before === undefined
        ? Number.NaN
        : Math.log(last.micros / before.micros) / Math.log(last.size / before.size);
    return { series, points: sorted, exponent };
  });
}

/** A Markdown table: an operation a row, a size a column. */
export function growthTable(growth: readonly Growth[], of: GrowthPoint["of"]): string {
  const sizes = growth[0]?.points.map(({ size }) => size) ?? [];
  const head = sizes.map((size) => `${size.toLocaleString("en")} ${size === 1 ? of.slice(0, -1) : of}`);
  const lines = growth.map(
    ({ series, points, exponent }) =>
      `| ${series} | ${points.map(({ micros }) => formatMicros(micros)).join(" | ")} | ${exponent.toFixed(2)} |`,
  );
  return [`| | ${head.join(" | ")} | exponent |`, `|---|${sizes.map(() => "---:|").join("")}---:|`, ...lines].join(
    "\n",
  );
}

/** Microseconds in a unit that fits. */
export function formatMicros(micros: number): string {
  if (micros < 1000) return `${micros < 10 ? micros.toFixed(1) : micros.toFixed(0)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 1e4 ? 1 : 0)} ms`;
  return `${(micros / 1e6).toFixed(1)} s`;
}
