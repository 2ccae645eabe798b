import type { RunReport } from "../engine/run-report.ts";

/** The report as JSON; its shape is `report.schema.json` of this package. */
export function toJson(report: RunReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

const colours = { pass: "brightgreen", fail: "red", incomplete: "yellow" } as const;

/**
 * A badge, as the JSON that shields.io reads from an address
 * (https://shields.io/badges/endpoint-badge): how many of the checks that apply passed, and the
 * verdict as its colour.
 */
export function toBadge({ verdict, counts, obstacle, kit }: RunReport): string {
  const { passed, failed, advice, baselined, couldNotRun } = counts;
  const message =
    obstacle === undefined ? `${passed} of ${passed + failed + advice + baselined + couldNotRun}` : obstacle.kind;
  const label = `MCP conformance ${kit.version}`;
  return `${JSON.stringify({ schemaVersion: 1, label, message, color: colours[verdict] }, null, 2)}\n`;
}
