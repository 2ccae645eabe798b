import { onTestFinished, TestRunner } from "vitest";
import { realClock, useClock, type Clock } from "../packages/core/src/clock.ts";

export { realClock };

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /** Moves time on, running what falls due in order, also what that schedules. */
  advance(ms: number): void;
  /** How many tasks are scheduled. */
  pending(): number;
  /** In how many milliseconds each of them is due. */
  delays(): readonly number[];
}

/** Puts a clock that stands at 0, a date in 2027, in the place of the real time until the test ends. */
export function useManualClock(): ManualClock {
  let now = 0;
  const tasks = new Set<{ readonly at: number; readonly run: () => void }>();
  const clock: ManualClock = {
    now: () => now,
    date: () => 1_800_000_000_000 + now,
    schedule(delayMs, run) {
      const task = { at: now + Math.max(0, delayMs), run };
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...tasks].filter((task) => task.at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        tasks.delete(due);
        now = due.at;
        due.run();
      }
      now = end;
    },
    pending: () => tasks.size,
    delays: () => Array.from(tasks, ({ at }) => at - now),
  };
  useTestClock(clock);
  return clock;
}

/**
 * Puts a test's own time in the place of the real one until the test ends; outside of a test, until
 * `useClock()`. What it leaves out is real.
 */
export function useTestClock(clock: Partial<Clock>): void {
  useClock({ ...realClock, ...clock });
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => useClock());
}
