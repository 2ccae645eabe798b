import type { RunReport } from "../engine/run-report.ts";

/** The report as JSON; its shape is `report.schema.json` of this package. */
export function toJson(report: RunReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
