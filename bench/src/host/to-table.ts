import type { Row } from "./run-rounds.ts";
import type { Spread } from "./statistics.ts";
import type { Metric, Workload } from "./workloads/workload.ts";

/** The rows of every workload that was measured, by its id. */
export type Results = Readonly<Record<string, readonly Row[]>>;

/** The contender whose aims are in the table. */
const ours = "hostside";
/** What it consists of is beside it to be seen, not to be beaten. */
const ownParts = new Set(["provider", "serve"]);

/**
 * Rows of now, and those of `date` that are not among them: of other workloads, and of other
 * contenders, which keep their day.
 */
export function mergeResults(now: Results, before: Results, date: string): Results {
  const rowsOf = (id: string): readonly Row[] => {
    const [own = [], earlier = []] = [now[id], before[id]];
    const others = earlier.filter(({ adapter }) => own.every((row) => row.adapter !== adapter));
    return [...own, ...others.map((row) => ({ ...row, date: row.date ?? date }))];
  };
  return Object.fromEntries([...new Set([...Object.keys(before), ...Object.keys(now)])].map((id) => [id, rowsOf(id)]));
}

/**
 * The results as a Markdown table: a row for each metric, a column for each contender, medians with
 * the spread in brackets.
 */
export function toTable(workloads: readonly Workload[], results: Results): string {
  const columns = columnsOf(results);
  const lines = workloads.flatMap((workload) => {
    const rows = results[workload.id];
    if (rows === undefined) return [];
    return workload.metrics.map((metric) => {
      const cells = columns.map((column) => cellOf(rows, column, metric));
      const aim = metric.aim === undefined ? "" : formatNumber(metric, metric.aim);
      return `| ${workload.title}: ${metric.label} | ${aim} | ${cells.join(" | ")} |`;
    });
  });
  const head = columns.map(({ name, version, date }) =>
    [name, version, ...(date === undefined ? [] : [date])].join("<br>"),
  );
  return [`| | aim | ${head.join(" | ")} |`, `|---|---|${columns.map(() => "---|").join("")}`, ...lines].join("\n");
}

/**
 * One line of Markdown for each metric that misses its aim, or where a contender that is not a
 * floor does better.
 */
export function whereBehind(workloads: readonly Workload[], results: Results): readonly string[] {
  return workloads.flatMap((workload) =>
    workload.metrics.flatMap((metric) => {
      const rows = results[workload.id] ?? [];
      if (rows.length === 0) return [];
      const row = rows.find(({ adapter }) => adapter === ours);
      const own = row?.values[metric.name];
      if (own === undefined) {
        const why = row === undefined ? "not measured" : valueOf(row, metric);
        return [`- ${workload.title}: ${metric.label}: ${why}.`];
      }
      const complaints = [...missedAim(metric, own), ...better(metric, own, rows)];
      if (complaints.length === 0) return [];
      return [`- ${workload.title}, ${metric.label}: ${withSpread(metric, own)}; ${complaints.join("; ")}.`];
    }),
  );
}

function missedAim(metric: Metric, own: Spread): readonly string[] {
  if (metric.aim === undefined || !isBetter(metric, metric.aim, own.median)) return [];
  return [`the aim is ${formatNumber(metric, metric.aim)}`];
}

/** The best of those that do better, and how many more there are. */
function better(metric: Metric, own: Spread, rows: readonly Row[]): readonly string[] {
  const [best, ...others] = rows
    .flatMap(({ adapter, name, values }) => {
      const spread = values[metric.name];
      const isPeer = adapter !== ours && !ownParts.has(adapter) && !adapter.startsWith("floor");
      return isPeer && spread !== undefined && isBetter(metric, spread.median, own.median) ? [{ name, spread }] : [];
    })
    .toSorted((a, b) => (isBetter(metric, a.spread.median, b.spread.median) ? -1 : 1));
  if (best === undefined) return [];
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return [`${best.name} has ${withSpread(metric, best.spread)}${more}`];
}

function isBetter({ as }: Metric, one: number, other: number): boolean {
  return as === "share" ? one > other : one < other;
}

/** A contender; its day where all of its rows have the same one. */
interface Column extends Pick<Row, "name" | "version" | "date"> {
  readonly id: string;
}

function columnsOf(results: Results): readonly Column[] {
  const columns = new Map<string, Column>();
  const all = Object.values(results).flat();
  for (const { adapter: id, name, version, date } of all) {
    const isSameDay = all.every((row) => row.adapter !== id || row.date === date);
    const day = date !== undefined && isSameDay && { date };
    // One that failed in one workload is known by its name from another.
    if (!columns.has(id) || version !== "") columns.set(id, { id, name, version, ...day });
  }
  return [...columns.values()];
}

function cellOf(rows: readonly Row[], { id, date }: Column, metric: Metric): string {
  const row = rows.find(({ adapter }) => adapter === id);
  if (row === undefined) return "";
  const day = row.date === date ? "" : `<br>${row.date}`;
  return `${valueOf(row, metric)}${day}`;
}

function valueOf(row: Row, metric: Metric): string {
  const value = row.values[metric.name];
  const why = escapeCell(row.failure?.slice(0, 80) ?? "");
  if (value === undefined) return row.failures > 0 ? `failed: ${why}` : "–";
  return `${withSpread(metric, value)}${row.failures > 0 ? `, ${row.failures} failed: ${why}` : ""}`;
}

/** Text of others as it can stand in a cell of a table. */
export function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}

function withSpread(metric: Metric, { median, min, max }: Spread): string {
  return `${formatNumber(metric, median)} (${formatNumber(metric, min)} to ${formatNumber(metric, max)})`;
}

function formatNumber({ as, unit }: Metric, value: number): string {
  if (as === "share") return `${(value * 100).toFixed(0)} %`;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 4;
  return `${value.toFixed(digits)}${unit === undefined ? "" : ` ${unit}`}`;
}
