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
