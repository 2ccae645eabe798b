import { clock } from "./clock.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

describe("clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs a task once, when its time has come", () => {
    const startedAt = clock.now();
    const runs: number[] = [];
    clock.schedule(50, () => runs.push(clock.now() - startedAt));
    vi.advanceTimersByTime(49);
    expect(runs).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(runs).toEqual([50]);
  });

  it("never runs a task that was cancelled; cancelling again does no harm", () => {
    const runs: string[] = [];
    const cancel = clock.schedule(50, () => runs.push("cancelled"));
    cancel();
    cancel();
    vi.advanceTimersByTime(1000);
    expect(runs).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not run a task at once because its delay is longer than timers can be", () => {
    const runs: string[] = [];
    for (const delayMs of [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
      clock.schedule(delayMs, () => runs.push(String(delayMs)));
    }
    vi.advanceTimersByTime(24 * 24 * 3_600_000);
    expect(runs).toEqual([]);
  });

  it("runs a task whose delay is longer than timers can be in its time, not before", () => {
    const runs: string[] = [];
    clock.schedule(2 ** 31 + 1000, () => runs.push("late"));
    vi.advanceTimersByTime(2 ** 31);
    expect(runs).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(runs).toEqual(["late"]);
  });

  it("takes a negative delay for none", () => {
    const runs: string[] = [];
    clock.schedule(-5, () => runs.push("now"));
    vi.advanceTimersByTime(1);
    expect(runs).toEqual(["now"]);
  });
});

describe("clock, with the timers of the runtime", () => {
  it("runs no task before its time, also when the delay is no whole number of milliseconds", async () => {
    const early: number[] = [];
    const tasks = Array.from({ length: 60 }, (_, index) => {
      const delayMs = index / 3 + 0.9;
      const dueAt = clock.now() + delayMs;
      return new Promise<void>((resolve) => {
        clock.schedule(delayMs, () => {
          if (clock.now() < dueAt) early.push(delayMs);
          resolve();
        });
      });
    });
    await Promise.all(tasks);
    expect(early).toEqual([]);
  });
});
