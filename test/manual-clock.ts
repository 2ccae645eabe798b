import type { Clock } from "../packages/core/src/index.ts";

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /** Moves time on, running what falls due in order, also what that schedules. */
  advance(ms: number): void;
  /** How many tasks are scheduled. */
  pending(): number;
  /** In how many milliseconds each of them is due. */
  delays(): readonly number[];
}

/** A clock that stands at 0, which is a date in 2027. */
export function createManualClock(): ManualClock {
  let now = 0;
  const tasks = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
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
}
