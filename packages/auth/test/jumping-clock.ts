import { useManualClock, useTestClock, type ManualClock } from "../../../test/manual-clock.ts";

/** Puts a time that can be passed, with timers that are real, in the place of the real one. */
export function useJumpingClock(): ManualClock {
  const manual = useManualClock();
  const clock: ManualClock = {
    ...manual,
    schedule(delayMs, task) {
      const timer = setTimeout(task, Math.min(delayMs, 60_000));
      return () => clearTimeout(timer);
    },
  };
  useTestClock(clock);
  return clock;
}
