import type { Cancel, Clock } from "./clock.ts";

// Node has them, whose types this package does without.
declare const setImmediate: ((task: () => void) => unknown) | undefined;
declare const clearImmediate: (immediate: unknown) => void;

/**
 * Runs `task` when what is under way now has had its turn, such as a request that was just made and
 * has still to leave. In Node that is at once, where a timer would be a millisecond later;
 * elsewhere the clock's next timer.
 */
export function runSoon(clock: Clock, task: () => void): Cancel {
  if (typeof setImmediate !== "function") return clock.schedule(0, task);
  const immediate = setImmediate(task);
  return () => clearImmediate(immediate);
}
