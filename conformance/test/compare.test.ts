import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CheckInfo, CheckResult, Finding } from "../src/engine/check.ts";
import { compareRuns } from "../src/engine/compare-runs.ts";
import { judgeRun } from "../src/engine/judge-run.ts";
import type { RunReport } from "../src/engine/run-report.ts";
import { toBadge } from "../src/report/json-report.ts";
import { comparisonMarkdown } from "../src/report/comparison-report.ts";
import { parseReport } from "../src/report/parse-report.ts";
import { runKit, type Ran } from "./run-kit.ts";
import { sampleReport } from "./sample-report.ts";

const fail: Finding = { status: "fail", observed: "seen" };
const pass: Finding = { status: "pass" };
const unjudged: Finding = { status: "could-not-run", reason: "no answer" };
const notApplicable: Finding = { status: "not-applicable", reason: "no tools" };

function report(findings: Readonly<Record<string, Finding>>, level: CheckInfo["level"] = "MUST"): RunReport {
  const results = Object.entries(findings).map(([id, finding]): CheckResult => {
    const requirement = { sentence: "A rule.", section: "A section", url: "https://example.com/" };
    const check = { id, title: `Title of ${id}`, level, requirement, legal: ["this"], fix: "Mend it." };
    return { check, finding, durationMs: 1 };
  });
  const judged = judgeRun(results, { stale: [] });
  return { ...sampleReport({ staleBaseline: [] }), results, ...judged };
}

describe("compareRuns()", () => {
  it.each<[string, Finding, Finding, "worse" | "better" | "other", number]>([
    ["a check that fails now", pass, fail, "worse", 1],
    ["one that cannot be judged any more", pass, unjudged, "worse", 1],
    ["one that failed and cannot be judged", fail, unjudged, "worse", 1],
    ["one that passes now", fail, pass, "better", 0],
    ["one that could not be judged and passes", unjudged, pass, "better", 0],
    ["one that applies no longer", pass, notApplicable, "other", 0],
    ["one that applies now", notApplicable, pass, "other", 0],
  ])("%s", (...[, before, after, where, exitCode]) => {
    const comparison = compareRuns(report({ "a/b": before }), report({ "a/b": after }));
    expect(comparison.exitCode).toBe(exitCode);
    const named = (["worse", "better", "other"] as const).filter((name) => comparison[name].length > 0);
    expect(named).toEqual([where]);
    expect(comparison[where][0]).toMatchObject({ checkId: "a/b", fix: "Mend it." });
  });

  it("says what fails in both, and lets it fail no run", () => {
    const comparison = compareRuns(report({ "a/b": fail, "a/c": pass }), report({ "a/b": fail, "a/c": pass }));
    expect(comparison).toMatchObject({ worse: [], better: [], other: [], remaining: ["a/b"], exitCode: 0 });
  });

  it("lets new advice fail a strict comparison alone", () => {
    const [before, after] = [report({ "a/b": pass }, "SHOULD"), report({ "a/b": fail }, "SHOULD")];
    expect(compareRuns(before, after)).toMatchObject({ worse: [{ after: "advice" }], exitCode: 0 });
    expect(compareRuns(before, after, true).exitCode).toBe(1);
  });

  it("is incomplete when checks were left out, and takes those of a newer kit as they come", () => {
    const comparison = compareRuns(report({ "a/b": pass, "a/c": pass }), report({ "a/c": pass, "a/d": fail }));
    expect(comparison).toMatchObject({ missing: ["a/b"], added: [{ checkId: "a/d", after: "fail" }], exitCode: 3 });
  });

  it("is worse when nothing could be tested", () => {
    const obstacle = { kind: "unreachable", reason: "it ended with code 1" } as const;
    const comparison = compareRuns(report({ "a/b": pass }), { ...report({}), obstacle });
    expect(comparison).toMatchObject({ missing: [], exitCode: 1 });
  });
});

it("Markdown keeps what a server said in code spans, within one row", () => {
  const observed = `a | b\n\`\`\` <script>alert(1)</script> ${"x".repeat(1000)}`;
  const [before, after] = [report({ "a/b": pass }), report({ "a/b": { status: "fail", observed } })];
  const text = comparisonMarkdown({ before, after, comparison: compareRuns(before, after) });
  const row = text.split("\n").find((line) => line.startsWith("| a/b"));
  expect(row).toMatch(
    /^\| a\/b \| pass → fail \| ```` a \\\| b ``` <script>alert\(1\)<\/script> x+…? ```` \| ` Mend it. ` \|$/,
  );
  expect(text.length).toBeLessThan(1000);
});

it("toBadge() is what shields.io reads", () => {
  expect(JSON.parse(toBadge(sampleReport()))).toEqual({
    schemaVersion: 1,
    label: "MCP conformance 1.2.3",
    message: "1 of 5",
    color: "red",
  });
  const obstacle = { kind: "auth-required", reason: "HTTP 401" } as const;
  expect(JSON.parse(toBadge(sampleReport({ obstacle })))).toMatchObject({ message: "auth-required" });
});

describe("parseReport()", () => {
  it.each<[string, string, string]>([
    ["no JSON", "{", "not JSON"],
    ["another file", "[]", "no report of @hostside/conformance"],
    ["a later version", JSON.stringify({ ...sampleReport(), schemaVersion: 2 }), "a report of version 2"],
    ["no side", JSON.stringify({ ...sampleReport(), side: "both" }), "side must be"],
    ["no results", JSON.stringify({ ...sampleReport(), results: {} }), "results must be an array"],
    [
      "a result that is none",
      JSON.stringify({ ...sampleReport(), results: [{ check: {} }] }),
      "results[0] is no result",
    ],
  ])("refuses %s", (_, json, message) => {
    expect(() => parseReport(json)).toThrow(message);
  });
});

describe("hostside-conformance compare", () => {
  let folder = "";
  const file = (name: string): string => join(folder, name);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hostside-compare-"));
    await writeFile(file("before.json"), JSON.stringify(report({ "a/b": pass, "a/c": fail })));
    await writeFile(file("after.json"), JSON.stringify(report({ "a/b": fail, "a/c": pass })));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = (...argv: readonly string[]): Promise<Ran> => runKit(["compare", ...argv]);

  it("prints what is worse, with what mends it, as Markdown", async () => {
    const { code, out } = await run(file("before.json"), file("after.json"));
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "## ❌ WORSE

      1 worse, 1 better, 0 fail as before, 0 new checks

      ### Worse

      | check | outcome | seen | fix |
      | --- | --- | --- | --- |
      | a/b | pass → fail | \` seen \` | \` Mend it. \` |

      ### Better

      | check | outcome | seen | fix |
      | --- | --- | --- | --- |
      | a/c | fail → pass | \`  \` | \` Mend it. \` |
      "
    `);
  });

  it("says that the runs are of two targets, if they are", async () => {
    await writeFile(
      file("other.json"),
      JSON.stringify({ ...report({ "a/b": pass, "a/c": fail }), target: "node other.js" }),
    );
    const { code, out } = await run(file("before.json"), file("other.json"));
    expect(code).toBe(0);
    expect(out).toMatch(/\nThe runs are of two targets: .*, then .*node other\.js/);
  });

  it("exits with 2 for files that cannot be compared, and names them", async () => {
    await writeFile(file("host.json"), JSON.stringify({ ...report({}), side: "host" }));
    expect(await run(file("before.json"))).toMatchObject({
      code: 2,
      err: expect.stringContaining("needs two reports"),
    });
    expect(await run(file("before.json"), file("none.json"))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/none\.json: ENOENT/),
    });
    expect(await run(file("before.json"), file("host.json"))).toMatchObject({
      code: 2,
      err: "one is of a server, the other of a host\n",
    });
  });
});
