import { getEventListeners } from "node:events";
import { describe as suite, expect, it } from "vitest";
import type { Check, CheckResult, Finding } from "./check.ts";
import { judgeRun } from "./judge-run.ts";
import { runChecks } from "./run-checks.ts";

suite("runChecks()", () => {
  it("returns one result per check, in the order of the checks", async () => {
    const order: string[] = [];
    const results = await runChecks([check("a/slow", { takes: 3 }), check("a/fast")], order, { seed: 1 });
    expect(results.map(({ check }) => check.id)).toEqual(["a/slow", "a/fast"]);
    expect(order).toEqual(["a/fast", "a/slow"]);
  });

  it("names the first cause when a needed check did not pass, through several steps", async () => {
    const results = await runChecks(
      [
        check("a/start", { finding: { status: "fail", observed: "no" } }),
        check("a/list", { needs: ["a/start"] }),
        check("a/call", { needs: ["a/list"] }),
      ],
      [],
      { seed: 1 },
    );
    expect(results.map(({ finding }) => finding)).toMatchObject([
      { status: "fail" },
      { cause: "a/start" },
      { cause: "a/start" },
    ]);
  });

  it("does not apply what needs a check that does not apply", async () => {
    const results = await runChecks(
      [
        check("a/tools", { finding: { status: "not-applicable", reason: "no tools" } }),
        check("a/call", { needs: ["a/tools"] }),
      ],
      [],
      { seed: 1 },
    );
    expect(results[1]?.finding).toEqual({ status: "not-applicable", reason: "no tools" });
  });

  it("turns a throw and a check that never ends into could-not-run", async () => {
    const results = await runChecks([check("a/throws", { throws: true }), check("a/hangs", { hangs: true })], [], {
      seed: 1,
      checkTimeoutMs: 20,
    });
    expect(results.map(({ finding }) => finding)).toEqual([
      { status: "could-not-run", reason: "broken check" },
      { status: "could-not-run", reason: "the check did not finish within 0.02 s" },
    ]);
  });

  it("never runs more checks at once than it may", async () => {
    let now = 0;
    let most = 0;
    const busy = (id: string): Check<string[]> => ({
      ...check(id),
      run: async () => {
        most = Math.max(most, ++now);
        await Promise.resolve();
        now -= 1;
        return { status: "pass" };
      },
    });
    await runChecks(["a/1", "a/2", "a/3", "a/4", "a/5"].map(busy), [], { seed: 1, concurrency: 2 });
    expect(most).toBe(2);
  });

  it("gives a check the same random numbers for the same seed, whatever else runs", async () => {
    const drawn: number[] = [];
    const draws: Check<string[]> = {
      ...check("a/draws"),
      run: async (_, { random }) => (drawn.push(random()), { status: "pass" }),
    };
    await runChecks([draws], [], { seed: 7 });
    await runChecks([check("a/other"), draws], [], { seed: 7 });
    await runChecks([draws], [], { seed: 8 });
    expect(drawn[0]).toBe(drawn[1]);
    expect(drawn[0]).not.toBe(drawn[2]);
  });

  it("runs what needs a check that failed and prevents nothing", async () => {
    const finding = { status: "fail", observed: "no", preventsNothing: true } as const;
    const checks = [check("a/start", { finding }), check("a/list", { needs: ["a/start"] })];
    const results = await runChecks(checks, [], { seed: 1 });
    expect(results.map(({ finding: { status } }) => status)).toEqual(["fail", "pass"]);
  });

  it("stops with the run's signal", async () => {
    const results = await runChecks([check("a/hangs", { hangs: true }), check("a/next")], [], {
      seed: 1,
      concurrency: 1,
      signal: AbortSignal.abort(),
    });
    expect(results.map(({ finding }) => finding.status)).toEqual(["could-not-run", "could-not-run"]);
  });

  it("listens to that signal once for all checks, and stops those under way", async () => {
    const stopping = new AbortController();
    const many = Array.from({ length: 20 }, (_, n) => check(`a/hangs-${n}`, { hangs: true }));
    const run = runChecks(many, [], { seed: 1, concurrency: 20, signal: stopping.signal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(stopping.signal, "abort")).toHaveLength(1);
    stopping.abort();
    expect(new Set((await run).map(({ finding }) => finding.status))).toEqual(new Set(["could-not-run"]));
    expect(getEventListeners(stopping.signal, "abort")).toEqual([]);
  });

  it("refuses a check that is there twice, and a need that does not come first", async () => {
    await expect(runChecks([check("a/x"), check("a/x")], [], { seed: 1 })).rejects.toThrow(/a\/x is there twice/);
    await expect(runChecks([check("a/x", { needs: ["a/y"] })], [], { seed: 1 })).rejects.toThrow(/needs a\/y/);
  });
});

suite("judgeRun()", () => {
  it("is incomplete, never a pass, when nothing was checked", () => {
    expect(judgeRun([])).toMatchObject({ verdict: "incomplete", exitCode: 3 });
    expect(judgeRun([result("a/x", { status: "not-applicable", reason: "no" })])).toMatchObject({
      verdict: "incomplete",
    });
  });

  it("fails on a MUST, and on advice only when strict", () => {
    const must = result("a/x", { status: "fail", observed: "bad" });
    const should = { ...must, check: { ...must.check, level: "SHOULD" as const } };
    expect(judgeRun([must]).exitCode).toBe(1);
    expect(judgeRun([should, result("a/y", { status: "pass" })])).toMatchObject({ exitCode: 0, counts: { advice: 1 } });
    expect(judgeRun([should], { strict: true }).exitCode).toBe(1);
  });

  it("is incomplete when a MUST could not run, and fails when the baseline is stale", () => {
    const passed = result("a/y", { status: "pass" });
    expect(judgeRun([passed, result("a/x", { status: "could-not-run", reason: "r" })]).exitCode).toBe(3);
    expect(judgeRun([passed], { stale: ["a/y: passes now"] }).exitCode).toBe(1);
  });

  it("tells one cause once, with what it prevented", () => {
    const { headlines } = judgeRun([
      result("a/start", { status: "fail", observed: "no" }),
      result("a/list", { status: "could-not-run", reason: "needs", cause: "a/start" }),
      result("a/call", { status: "could-not-run", reason: "needs", cause: "a/start" }),
    ]);
    expect(headlines).toMatchObject([{ checkId: "a/start", prevented: ["a/list", "a/call"] }]);
  });
});

interface Behaviour {
  readonly needs?: readonly string[];
  readonly finding?: Finding;
  readonly takes?: number;
  readonly throws?: boolean;
  readonly hangs?: boolean;
}

function check(
  id: string,
  { needs = [], finding = { status: "pass" }, takes = 1, throws, hangs }: Behaviour = {},
): Check<string[]> {
  return {
    id,
    needs,
    title: "t",
    level: "MUST",
    requirement: { sentence: "s", section: "§", url: "https://example.com/" },
    legal: ["yes"],
    fix: "f",
    run: async (order) => {
      if (throws) throw new Error("broken check");
      if (hangs) return new Promise<Finding>(() => {});
      for (let turn = 0; turn < takes; turn += 1) await Promise.resolve();
      order.push(id);
      return finding;
    },
  };
}

function result(id: string, finding: Finding): CheckResult {
  const { needs: _needs, run: _run, ...info } = check(id);
  return { check: info, finding, durationMs: 1 };
}
