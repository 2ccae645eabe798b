/** Cancels what it was returned for. Idempotent. */
export type Cancel = () => void;

/** A source of time. */
export interface Clock {
  /** Milliseconds since some fixed point; never goes back. */
  now(): number;
  /**
   * The date, in whole milliseconds since 1970 as `Date.now()` has it; for people, never for
   * waiting.
   */
  date(): number;
  /** Runs `task` once, at least `delayMs` milliseconds from now, unless cancelled before. */
  schedule(delayMs: number, task: () => void): Cancel;
}

/**
 * The longest that a timer of the runtime waits, in milliseconds; with more it would fire at once.
 */
export const longestDelayMs: number = 2 ** 31 - 1;

/** The time of the runtime. */
export const realClock: Clock = {
  now: () => performance.now(),
  schedule(delayMs, task) {
    const dueAt = performance.now() + Math.max(0, delayMs);
    let timer: ReturnType<typeof setTimeout>;
    const wait = (leftMs: number): void => {
      timer = setTimeout(wake, Math.min(Math.ceil(leftMs), longestDelayMs));
    };
    // A timer may come a fraction of a millisecond too early, and then a deadline would not be over
    // yet.
    const wake = (): void => {
      const leftMs = dueAt - performance.now();
      if (leftMs > 0) wait(leftMs);
      else task();
    };
    wait(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
  date: () => Date.now(),
};

let current = realClock;

/**
 * The time that everything goes by: the real one, or a test's. Its timers keep a process alive: the
 * code that schedules one cancels it.
 */
export const clock: Clock = {
  now: () => current.now(),
  date: () => current.date(),
  schedule: (delayMs, task) => current.schedule(delayMs, task),
};

/** Whether nobody has put another time in the place of the real one. */
export function isRealTime(): boolean {
  return current === realClock;
}

/** Puts a test's time in the place of the real one; without an argument the real one is back. */
export function useClock(replacement: Clock = realClock): void {
  current = replacement;
}

/** Yields numbers in `[0, 1)`. */
export type Random = () => number;

/** The runtime's own randomness; for jitter, not for secrets. */
export const systemRandom: Random = () => Math.random();

/**
 * Says how many milliseconds have gone by since. The milliseconds of a machine that slept count:
 * its clock may stand still meanwhile, its date does not.
 */
export function startStopwatch(): () => number {
  const [startedAt, date] = [clock.now(), clock.date()];
  return () => Math.max(clock.now() - startedAt, clock.date() - date);
}

// Node has them, whose types this package does without.
declare const setImmediate: ((task: () => void) => unknown) | undefined;
declare const clearImmediate: (immediate: unknown) => void;

/**
 * Runs `task` when what is under way now has had its turn, such as a request that was just made and
 * has still to leave. In Node that is at once, where a timer would be a millisecond later;
 * elsewhere the clock's next timer.
 */
export function runSoon(task: () => void): Cancel {
  if (typeof setImmediate !== "function") return clock.schedule(0, task);
  const immediate = setImmediate(task);
  return () => clearImmediate(immediate);
}
