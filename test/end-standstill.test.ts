import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EndStandstill } from "./end-standstill.ts";

describe("a run of tests", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function startRun(): { reporter: EndStandstill; written: string[]; codes: number[] } {
    const written: string[] = [];
    const codes: number[] = [];
    const reporter = new EndStandstill({ write: (text) => written.push(text), exit: (code) => codes.push(code) });
    reporter.onTestRunStart();
    return { reporter, written, codes };
  }

  const stuck = { relativeModuleId: "packages/a/test/stuck.test.ts" };
  const test = { module: stuck, fullName: "waits for ever" } as const;

  it("ends as failed when nothing is heard of it for five minutes, and says what was under way", () => {
    const { reporter, written, codes } = startRun();
    reporter.onTestModuleQueued({ relativeModuleId: "packages/a/test/done.test.ts" });
    reporter.onTestModuleEnd({ relativeModuleId: "packages/a/test/done.test.ts" });
    reporter.onTestModuleQueued({ relativeModuleId: "packages/a/test/loads.test.ts" });
    reporter.onTestModuleQueued(stuck);
    reporter.onTestCaseReady({ ...test, fullName: "is done" } as never);
    reporter.onTestCaseResult({ ...test, fullName: "is done" } as never);
    reporter.onTestCaseReady(test as never);
    vi.advanceTimersByTime(299_999);
    expect(codes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(codes).toEqual([1]);
    expect(written.join("").trim().split("\n").slice(1)).toEqual([
      "packages/a/test/loads.test.ts: no test of it is under way",
      "packages/a/test/stuck.test.ts > waits for ever",
    ]);
  });

  it("goes on for as long as something is heard, and is left alone when it has ended", () => {
    const { reporter, codes } = startRun();
    reporter.onTestModuleQueued(stuck);
    for (let i = 0; i < 10; i += 1) {
      vi.advanceTimersByTime(200_000);
      reporter.onTestCaseReady(test as never);
      vi.advanceTimersByTime(200_000);
      reporter.onTestCaseResult(test as never);
    }
    reporter.onTestRunEnd();
    vi.advanceTimersByTime(3_600_000);
    expect(codes).toEqual([]);
  });
});
