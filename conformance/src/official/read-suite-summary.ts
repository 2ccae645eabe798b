/** What the official suite printed of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
  /** Whether the suite itself calls it green. */
  readonly green: boolean;
  /** Why it is there: the requirement set counts it, or the suite runs it beside. */
  readonly part: SuitePart;
}

/**
 * `required` by the revision; of an `extension`, which is optional by definition;
 * `added-after-release`; or `pending`, which the suite's own client fails.
 */
export type SuitePart = "required" | "extension" | "added-after-release" | "pending";

/**
 * Reads the summary that the suite prints at its end. A scenario counts as passed only if it is
 * green *and* had at least one success: some scenarios of the suite are green when the client never
 * connected.
 */
export function readSuiteSummary(output: string): readonly ScenarioResult[] {
  const summary = output.slice(output.lastIndexOf("=== SUITE SUMMARY ==="));
  const beside = new Map(
    Array.from(summary.matchAll(/^\s+[✗✓] (\S+) \(([a-z-]+)\)/gm), ([, name, part]) => [name, part]),
  );
  return Array.from(
    summary.matchAll(/^([✗✓]) (\S+): (\d+) passed, (\d+) failed/gm),
    ([, mark, scenario = "", passed, failed]) => ({
      scenario,
      passed: Number(passed),
      failed: Number(failed),
      green: mark === "✓",
      part: readPart(beside.get(scenario)),
    }),
  );
}

function readPart(reason: string | undefined): SuitePart {
  return reason === "extension" || reason === "added-after-release" || reason === "pending" ? reason : "required";
}
