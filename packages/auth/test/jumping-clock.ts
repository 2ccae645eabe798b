import { createManualClock, type ManualClock } from "../../../test/manual-clock.ts";

/** Time that can be passed, with timers that are real: locks are polled for. */
export function jumpingClock(): ManualClock {
  const manual = createManualClock();
  return {
    ...manual,
    schedule(delayMs, task) {
      const timer = setTimeout(task, Math.min(delayMs, 60_000));
      return () => clearTimeout(timer);
    },
  };
}
