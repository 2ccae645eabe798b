import { clock, isRealTime, longestDelayMs, type Cancel } from "./clock.ts";

type RuntimeTimer = ReturnType<typeof setTimeout>;

/**
 * One timer for many things that have a time: it goes off no later than the earliest of them. Its
 * task looks at what is due by then, and sets the alarm again for the rest; it must not throw. On
 * the real time a timer that is not needed any more is left to run out, which nearly always is too
 * late for what comes next: to make and cancel one for each call over stdio took 5 % of the call.
 * On any other clock it is cancelled.
 */
export class Alarm {
  readonly #task: () => void;
  #cancel: Cancel | undefined;
  /** On the real time. */
  #timer: RuntimeTimer | undefined;
  /** The runtime's function of this name when the timer was made. */
  #clear: typeof clearTimeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isResting = false;

  constructor(task: () => void) {
    this.#task = task;
  }

  /**
   * Goes off by `dueAt`, a reading of the clock, at the latest; earlier when it was set for
   * earlier.
   */
  setBy(dueAt: number): void {
    // A test may have put other timers in place of the runtime's, or taken them away again: then
    // this one may never run out.
    if (this.#cancel !== undefined && this.#dueAt <= dueAt && this.#clear === clearTimeout) {
      if (this.#isResting && isReferable(this.#timer)) this.#timer.ref();
      this.#isResting = false;
      return;
    }
    this.stop();
    this.#dueAt = dueAt;
    this.#wait();
  }

  /**
   * Nothing is waited for: it keeps no process alive from now on, until it is set. It may go off
   * once more.
   */
  rest(): void {
    if (this.#cancel === undefined || this.#isResting) return;
    if (!isReferable(this.#timer)) return this.stop();
    this.#timer.unref();
    this.#isResting = true;
  }

  /** Never goes off again, unless it is set. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = this.#timer = undefined;
    this.#isResting = false;
  }

  #wait(): void {
    const leftMs = Math.max(0, this.#dueAt - clock.now());
    const clear = (this.#clear = clearTimeout);
    if (!isRealTime()) {
      this.#cancel = clock.schedule(leftMs, () => this.#wake());
      return;
    }
    const timer = setTimeout(() => this.#wake(), Math.min(Math.ceil(leftMs), longestDelayMs));
    this.#timer = timer;
    this.#cancel = () => clear(timer);
  }

  /**
   * The timer has run out, perhaps a fraction of a millisecond too early, or because no timer is as
   * long as this one.
   */
  #wake(): void {
    this.#cancel = this.#timer = undefined;
    const wasResting = this.#isResting;
    this.#isResting = false;
    if (this.#dueAt <= clock.now()) return this.#task();
    this.#wait();
    if (wasResting) this.rest();
  }
}

// A timer of Node; elsewhere timers are numbers.
function isReferable(timer: unknown): timer is { ref(): void; unref(): void } {
  return typeof timer === "object";
}
