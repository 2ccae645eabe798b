import { clock, isRealTime, longestDelayMs, type Cancel } from "./clock.ts";

/** One timer for many things that have a time: it goes off no later than the earliest of them. */
export interface Alarm {
  /**
   * Goes off by `dueAt`, a reading of the clock, at the latest; earlier when it was set for
   * earlier.
   */
  setBy(dueAt: number): void;
  /**
   * Nothing is waited for: it keeps no process alive from now on, until it is set. It may go off
   * once more.
   */
  rest(): void;
  /** Never goes off again, unless it is set. */
  stop(): void;
}

/**
 * Makes one that is not set. Its task is told nothing: it looks at what is due by then, and sets
 * the alarm again for the rest. On the real time a timer that is not needed any more is left to run
 * out, which nearly always is too late for what comes next: to make and cancel one for each call
 * over stdio took 5 % of the call. On any other clock it is cancelled. `task` must not throw.
 */
export function createAlarm(task: () => void): Alarm {
  return isRealTime() ? new RuntimeAlarm(task) : new ScheduledAlarm(task);
}

type RuntimeTimer = ReturnType<typeof setTimeout>;

// Classes, because each connection has one.
class RuntimeAlarm implements Alarm {
  readonly #task: () => void;
  #timer: RuntimeTimer | undefined;
  /** The function that cancels the timer. */
  #clear: typeof clearTimeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isResting = false;

  constructor(task: () => void) {
    this.#task = task;
  }

  setBy(dueAt: number): void {
    // A test may have put other timers in place of the runtime's, or taken them away again: then
    // this one may never run out.
    if (this.#timer !== undefined && this.#dueAt <= dueAt && this.#clear === clearTimeout) {
      if (this.#isResting && isReferable(this.#timer)) this.#timer.ref();
      this.#isResting = false;
      return;
    }
    this.stop();
    this.#dueAt = dueAt;
    this.#wait();
  }

  rest(): void {
    if (this.#timer === undefined || this.#isResting) return;
    if (!isReferable(this.#timer)) return this.stop();
    this.#timer.unref();
    this.#isResting = true;
  }

  stop(): void {
    if (this.#timer === undefined) return;
    const clear = this.#clear;
    clear?.(this.#timer);
    this.#timer = undefined;
    this.#isResting = false;
  }

  #wait(): void {
    const leftMs = Math.max(0, this.#dueAt - clock.now());
    this.#clear = clearTimeout;
    this.#timer = setTimeout(goOff, Math.min(Math.ceil(leftMs), longestDelayMs), this);
  }

  /**
   * The timer has run out, perhaps a fraction of a millisecond too early, or because no timer is as
   * long as this one.
   */
  wake(): void {
    this.#timer = undefined;
    const wasResting = this.#isResting;
    this.#isResting = false;
    if (this.#dueAt <= clock.now()) return this.#task();
    this.#wait();
    if (wasResting) this.rest();
  }
}

function goOff(alarm: RuntimeAlarm): void {
  alarm.wake();
}

/** A timer of Node; elsewhere timers are numbers. */
interface Referable {
  ref(): void;
  unref(): void;
}

function isReferable(timer: unknown): timer is Referable {
  return typeof timer === "object";
}

class ScheduledAlarm implements Alarm {
  readonly #task: () => void;
  #cancel: Cancel | undefined;
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(task: () => void) {
    this.#task = task;
  }

  setBy(dueAt: number): void {
    if (this.#cancel !== undefined && this.#dueAt <= dueAt) return;
    this.stop();
    this.#dueAt = dueAt;
    this.#cancel = clock.schedule(dueAt - clock.now(), () => {
      this.#cancel = undefined;
      this.#task();
    });
  }

  rest(): void {
    this.stop();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
