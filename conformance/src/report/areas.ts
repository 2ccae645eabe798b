import type { CheckResult } from "../engine/check.ts";

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
