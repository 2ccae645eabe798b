import { manualClock } from "./manual-clock.ts";

/** Time that can be passed, with timers that are real: locks are polled for. */
export function jumpingClock(): ReturnType<typeof manualClock> {
  const manual = manualClock();
  return {
    ...manual,
    schedule(delayMs, task) {
      const timer = setTimeout(task, Math.min(delayMs, 60_000));
      return () => clearTimeout(timer);
    },
  };
}
