import type { Clock } from "@toolport/core";

/** A clock that goes on when a test says so. */
export interface ManualClock extends Clock {
  readonly pending: number;
  advance(ms: number): void;
}

export function manualClock(): ManualClock {
  let now = 0;
  const tasks = new Set<{ readonly at: number; readonly task: () => void }>();
  return {
    now: () => now,
    date: () => 1_800_000_000_000 + now,
    schedule(delayMs, task) {
      const entry = { at: now + delayMs, task };
      tasks.add(entry);
      return () => void tasks.delete(entry);
    },
    get pending() {
      return tasks.size;
    },
    advance(ms) {
      now += ms;
      for (const entry of Array.from(tasks)) {
        if (entry.at > now || !tasks.delete(entry)) continue;
        entry.task();
      }
    },
  };
}
