import { onTestFinished } from "vitest";
import { useClock } from "@hostside/core/implement";

/** A clock that stands still until it is told to go on. */
type Clock = NonNullable<Parameters<typeof useClock>[0]>;

export interface VirtualClock extends Clock {
  /** Timers that are set. */
  readonly pending: number;
  /** When the next timer is due; `undefined` when none is set. */
  readonly nextAt: number | undefined;
  /** Goes on by this much, and runs what becomes due, in order of time. */
  advance(ms: number): void;
  /** Goes on to the next timer and runs what is due then. Returns whether there was one. */
  advanceToNext(): boolean;
}

/** The date at time 0. */
export const firstDate = 1_700_000_000_000;

/** Puts a clock at time 0 in the place of the real time until the test ends. */
export function useVirtualClock(): VirtualClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();

  const next = (): { readonly at: number; readonly run: () => void } | undefined => {
    let first: { readonly at: number; readonly run: () => void } | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    return first;
  };
  const advanceTo = (time: number): void => {
    for (let timer = next(); timer !== undefined && timer.at <= time; timer = next()) {
      now = Math.max(now, timer.at);
      timers.delete(timer);
      timer.run();
    }
    now = Math.max(now, time);
  };
  const clock: VirtualClock = {
    now: () => now,
    date: () => firstDate + now,
    schedule(delayMs, run) {
      const timer = { at: now + Math.max(0, delayMs), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    get nextAt() {
      return next()?.at;
    },
    advance: (ms) => advanceTo(now + ms),
    advanceToNext() {
      const timer = next();
      if (timer === undefined) return false;
      advanceTo(timer.at);
      return true;
    },
  };
  useClock(clock);
  onTestFinished(() => useClock());
  return clock;
}
