import type { Row } from "./run-rounds.ts";
import { startSteps } from "./workloads/start-steps.ts";

/** A row for each contender, a column for each step of a start: medians in milliseconds. */
export function stepsTable(rows: readonly Row[]): string {
  const { metrics } = startSteps;
  const lines = rows.map(({ name, values }) => {
    const cells = metrics.map(({ name: step }) => values[step]?.median);
    return `| ${name} | ${cells.map((ms) => ms?.toFixed(1) ?? "–").join(" | ")} |`;
  });
  const head = `| ms | ${metrics.map(({ label }) => label).join(" | ")} |`;
  return [head, `|---|${metrics.map(() => "---:|").join("")}`, ...lines].join("\n");
}
