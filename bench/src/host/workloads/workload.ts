import type { CreateContender, Metrics } from "../contender.ts";

/** One thing to measure. Runs in a process of its own, once per contender and round. */
export interface Workload {
  readonly id: string;
  /** A row of the table. */
  readonly title: string;
  /**
   * The metrics to report, each with its unit, and whether it is reported as a ratio to the floor
   * or as it is.
   */
  readonly metrics: readonly Metric[];
  /** `adapterUrl` is the file that `create` comes from. */
  readonly run: (create: CreateContender, adapterUrl: string) => Promise<Metrics>;
}

/** How one metric is reported. */
export interface Metric {
  readonly name: string;
  readonly label: string;
  /**
   * `ratio` and `share` are relative to the floor of the same round; `absolute` is the number
   * itself.
   */
  readonly as: "ratio" | "share" | "absolute";
  readonly unit?: string;
  /** What Hostside aims at, in the same terms. */
  readonly aim?: number;
}
