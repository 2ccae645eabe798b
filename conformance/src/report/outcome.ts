import type { CheckResult, Finding } from "../engine/check.ts";
import type { RunReport } from "../engine/run-report.ts";

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

/** Areas of which a check applies, and the names of those of which none does. */
export function splitAreas(results: readonly CheckResult[]): {
  readonly owed: readonly (readonly [area: string, results: readonly CheckResult[]])[];
  readonly notApplicable: readonly string[];
} {
  const areas = [...areasOf(results)];
  const applies = ([, ofArea]: (typeof areas)[number]): boolean =>
    ofArea.some(({ finding }) => finding.status !== "not-applicable");
  return {
    owed: areas.filter(applies),
    notApplicable: areas.filter((area) => !applies(area)).map(([area]) => area),
  };
}

/** A duration in seconds, such as `0.012 s`. */
export function seconds(ms: number, digits = 3): string {
  return `${(ms / 1000).toFixed(digits)} s`;
}

/** The first texts of a list, and how many more there are. */
export function shortList(texts: readonly string[], most: number): string {
  const shown = texts.slice(0, most).join(", ");
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown;
}

const mostUncalled = 8;

/** The tools that were not called, a sentence for each reason, with the options that have them called. */
export function describeUncalled({ uncalledTools = [] }: RunReport): readonly string[] {
  const reasons = new Set(uncalledTools.map(({ reason }) => reason));
  return Array.from(reasons, (reason) => {
    const tools = uncalledTools.filter((tool) => tool.reason === reason);
    const names = tools.map(({ name }) => name);
    const remedies = tools.slice(0, mostUncalled).flatMap(({ remedy }) => remedy ?? []);
    const allow =
      remedies.length === 0 ? "" : `; allow ${tools.length === 1 ? "it" : "them"} with ${remedies.join(" ")}`;
    return `not called: ${shortList(names, mostUncalled)} (${reason})${allow}`;
  });
}
