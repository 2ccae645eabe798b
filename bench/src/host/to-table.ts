import type { Row } from "./run-rounds.ts";
import type { Spread } from "./statistics.ts";
import type { Metric, Workload } from "./workloads/workload.ts";

/** What a table is made from. */
export interface TableInput {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly rounds: number;
  readonly workloads: readonly Workload[];
  readonly results: ReadonlyMap<string, readonly Row[]>;
}

/** The results as Markdown: a row for each metric, a column for each contender, medians with the spread in brackets. */
export function toTable({ machine, rounds, workloads, results }: TableInput): string {
  const names = [...new Set([...results.values()].flatMap((rows) => rows.map(({ name }) => name)))];
  const versions = new Map([...results.values()].flat().map(({ name, version }) => [name, version]));
  const lines = workloads.flatMap((workload) =>
    workload.metrics.map((metric) => {
      const rows = results.get(workload.id) ?? [];
      const cells = names.map((name) =>
        cell(
          rows.find((row) => row.name === name),
          metric,
        ),
      );
      return `| ${workload.title}: ${metric.label} | ${metric.aim === undefined ? "" : number(metric, metric.aim)} | ${cells.join(" | ")} |`;
    }),
  );
  return [
    "# Results of the host benchmark",
    "",
    `Made by \`pnpm bench\`. Medians of ${rounds} rounds, in brackets the smallest and the largest; each contender is compared with the floor measured right before it.`,
    `Machine: ${Object.entries(machine)
      .map(([key, value]) => `${key} ${value}`)
      .join(", ")}.`,
    `Versions: ${names.map((name) => `${name} ${versions.get(name) ?? ""}`).join(", ")}.`,
    "",
    `| workload | aim | ${names.join(" | ")} |`,
    `|---|---|${names.map(() => "---").join("|")}|`,
    ...lines,
    "",
  ].join("\n");
}

function cell(row: Row | undefined, metric: Metric): string {
  if (row === undefined) return "";
  const value = row.values.get(metric.name);
  if (value === undefined)
    return row.failure === undefined ? "" : `failed: ${row.failure.slice(0, 80).replaceAll("|", "\\|")}`;
  return withSpread(value, metric);
}

function withSpread({ median, min, max }: Spread, metric: Metric): string {
  return `${number(metric, median)} (${number(metric, min)} to ${number(metric, max)})`;
}

function number({ as, unit }: Metric, value: number): string {
  if (!Number.isFinite(value)) return "never";
  if (as === "share") return `${(value * 100).toFixed(0)} %`;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === undefined ? "" : ` ${unit}`}`;
}
