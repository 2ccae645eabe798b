/** What the official suite printed of one scenario. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: number;
  readonly failed: number;
  /** Whether the suite itself calls it green. */
  readonly green: boolean;
  /** Whether the requirement set counts it; extensions and later additions are run but not counted. */
  readonly scored: boolean;
}

/**
 * Reads the summary that the suite prints at its end. A scenario counts as passed only if it is green *and* had at least one
 * success: some scenarios of the suite are green when the client never connected.
 */
export function readSuiteSummary(output: string): readonly ScenarioResult[] {
  const summary = output.slice(output.lastIndexOf("=== SUITE SUMMARY ==="));
  const notScored = new Set(
    Array.from(summary.matchAll(/^\s+[✗✓] (\S+) \((?:extension|added-after-release|pending)\)/gm), ([, name]) => name),
  );
  return Array.from(
    summary.matchAll(/^([✗✓]) (\S+): (\d+) passed, (\d+) failed/gm),
    ([, mark, scenario = "", passed, failed]) => ({
      scenario,
      passed: Number(passed),
      failed: Number(failed),
      green: mark === "✓",
      scored: !notScored.has(scenario),
    }),
  );
}
