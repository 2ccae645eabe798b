import type { CheckResult, Finding } from "../engine/check.ts";

/**
 * What a result is called in reports: its status, or what the baseline and its level make of a
 * failure.
 */
export type Outcome = Finding["status"] | "accepted" | "advice";

/** The outcome of a result. */
export function outcomeOf({ check, finding, baselined }: CheckResult, strict = false): Outcome {
  if (finding.status !== "fail") return finding.status;
  if (baselined !== undefined) return "accepted";
  return strict || check.level === "MUST" ? "fail" : "advice";
}

/** Results by area: the part of the id before the slash, in order of first appearance. */
export function areasOf(results: readonly CheckResult[]): ReadonlyMap<string, readonly CheckResult[]> {
  const areas = new Map<string, CheckResult[]>();
  for (const result of results) {
    const area = result.check.id.split("/", 1)[0] ?? "";
    const ofArea = areas.get(area);
    if (ofArea) ofArea.push(result);
    else areas.set(area, [result]);
  }
  return areas;
}
