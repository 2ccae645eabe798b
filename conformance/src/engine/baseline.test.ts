import { describe, expect, it } from "vitest";
import { applyBaseline, parseBaseline } from "./baseline.ts";
import type { CheckResult, Finding } from "./check.ts";

const known = new Set(["a/x", "a/y"]);
const entry = { check: "a/x", reason: "waiting for a release", expires: "2030-01-31" };

describe("parseBaseline()", () => {
  it.each([
    ["{", /not JSON/],
    ["[]", /must be \{ "entries"/],
    [JSON.stringify({ entries: [{ ...entry, check: "a/z" }] }), /entries\[0\]\.check names an unknown check: "a\/z"/],
    [JSON.stringify({ entries: [entry, entry] }), /entries\[1\]\.check is there twice/],
    [JSON.stringify({ entries: [{ ...entry, reason: " " }] }), /reason must say why/],
    [JSON.stringify({ entries: [{ ...entry, expires: "soon" }] }), /expires must be a day/],
    [JSON.stringify({ entries: [{ ...entry, expires: "2030-13-41" }] }), /expires must be a day/],
  ])("refuses %s", (json, message) => {
    expect(() => parseBaseline(json, known)).toThrow(message);
  });
});

describe("applyBaseline()", () => {
  const baseline = parseBaseline(JSON.stringify({ entries: [entry] }), known);

  it("marks an accepted failure with its reason", () => {
    const { results, stale } = applyBaseline([result({ status: "fail", observed: "bad" })], baseline, "2030-01-31");
    expect(results[0]?.baselined).toBe(entry.reason);
    expect(stale).toEqual([]);
  });

  it("calls an entry stale when the check passes, or the day is over", () => {
    expect(applyBaseline([result({ status: "pass" })], baseline, "2030-01-01").stale).toEqual([
      "a/x: passes now; remove the entry",
    ]);
    const late = applyBaseline([result({ status: "fail", observed: "bad" })], baseline, "2030-02-01");
    expect(late.stale).toEqual(["a/x: expired on 2030-01-31"]);
    expect(late.results[0]?.baselined).toBeUndefined();
  });
});

function result(finding: Finding): CheckResult {
  const requirement = { sentence: "s", section: "§", url: "https://example.com/" };
  return { check: { id: "a/x", title: "t", level: "MUST", requirement, legal: [], fix: "f" }, finding, durationMs: 1 };
}
