import { systemClock, type Cancel, type Clock } from "./clock.ts";
import { LazySignal } from "./lazy-signal.ts";
import { onAbort } from "./on-abort.ts";

/** A time budget as those see it who share it: what is left of it, and a way to stop its clock. */
export interface SharedDeadline {
  /** Time left, in milliseconds; never negative. Stands still while paused. */
  remainingMs(): number;
  /** Stops the clock until the returned function is called; pauses may overlap. For the time a human needs to answer. */
  pause(): Cancel;
}

/** One time budget over several steps, and the abort signal that goes with it. */
export interface Deadline extends SharedDeadline {
  /** Aborts when the time is up (its reason is that of `onTimeout`), or when the caller's signal does (with its reason). */
  readonly signal: AbortSignal;
  /** The same, for whoever can listen without a signal. */
  readonly stop: LazySignal;
  /** Releases the timer and the listener on the caller's signal. The signal never aborts afterwards. Idempotent. */
  dispose(): void;
}

/** What a {@linkcode Deadline} is made from. */
export interface DeadlineInit {
  readonly timeoutMs: number;
  /** The caller's signal. One that is aborted already aborts the deadline at once. */
  readonly signal?: AbortSignal | LazySignal | undefined;
  /** A budget that this one is a part of: no more than is left of it, and while this one stands still, so does that. */
  readonly outer?: SharedDeadline | undefined;
  /** How long the clock may stand still in all, in milliseconds. Default: for ever. */
  readonly mostPausedMs?: number | undefined;
  /** Makes the reason of the abort when the time is up. */
  readonly onTimeout: () => unknown;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** Starts a deadline. Who starts it disposes of it. */
export function createDeadline(init: DeadlineInit): Deadline {
  return new RunningDeadline(init);
}

class RunningDeadline implements Deadline {
  readonly stop = new LazySignal();
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  readonly #init: DeadlineInit;
  #leftMs: number;
  #startedAt: number;
  #cancelTimer: Cancel | undefined;
  #ignore: Cancel | undefined;
  #done = false;

  constructor(init: DeadlineInit) {
    const { timeoutMs, signal, outer, mostPausedMs = Number.POSITIVE_INFINITY, clock = systemClock } = init;
    this.#init = init;
    this.#clock = clock;
    this.#pauses = new Pauses({ clock, outer, mostPausedMs, onResume: () => void (this.#done || this.#start()) });
    this.#leftMs = outer === undefined ? timeoutMs : Math.min(timeoutMs, outer.remainingMs());
    this.#startedAt = clock.now();
    if (signal?.aborted === true) {
      this.#done = true;
      this.stop.abort(signal.reason);
      return;
    }
    this.#ignore = signal && onAbort(signal, () => this.#abort(signal.reason));
    this.#start();
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  remainingMs(): number {
    const passedMs = this.#pauses.active ? 0 : this.#clock.now() - this.#startedAt;
    return Math.max(0, this.#leftMs - passedMs);
  }

  pause(): Cancel {
    if (this.#done) return () => {};
    const left = this.remainingMs();
    const wasActive = this.#pauses.active;
    const resume = this.#pauses.begin();
    if (!wasActive && this.#pauses.active) {
      this.#leftMs = left;
      this.#cancelTimer?.();
    }
    return resume;
  }

  dispose(): void {
    this.#done = true;
    this.#cancelTimer?.();
    // Some are kept for as long as a connection lives.
    this.#cancelTimer = undefined;
    this.#pauses.end();
    this.#ignore?.();
    this.#ignore = undefined;
  }

  #start(): void {
    this.#startedAt = this.#clock.now();
    this.#cancelTimer = this.#clock.schedule(this.#leftMs, () => this.#abort(this.#init.onTimeout()));
  }

  #abort(reason: unknown): void {
    this.dispose();
    this.stop.abort(reason);
  }
}

interface PausesInit {
  readonly clock: Clock;
  readonly outer: SharedDeadline | undefined;
  readonly mostPausedMs: number;
  readonly onResume: () => void;
}

/** The pauses of one deadline: they may overlap, and take no more than `mostPausedMs` in all. */
class Pauses {
  readonly #init: PausesInit;
  #running = 0;
  #usedMs = 0;
  #goOn: Cancel | undefined;

  constructor(init: PausesInit) {
    this.#init = init;
  }

  get active(): boolean {
    return this.#goOn !== undefined;
  }

  begin(): Cancel {
    this.#running += 1;
    if (this.#running === 1) this.#stop();
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      this.#running -= 1;
      if (this.#running === 0) this.#goOn?.();
    };
  }

  /** Lets go of the outer budget. */
  end(): void {
    this.#goOn?.();
  }

  #stop(): void {
    const { clock, outer, mostPausedMs, onResume } = this.#init;
    const leftMs = mostPausedMs - this.#usedMs;
    if (leftMs <= 0) return;
    const stoppedAt = clock.now();
    const resumeOuter = outer?.pause();
    const cancelLimit = leftMs === Number.POSITIVE_INFINITY ? undefined : clock.schedule(leftMs, () => this.#goOn?.());
    this.#goOn = () => {
      this.#goOn = undefined;
      this.#usedMs += clock.now() - stoppedAt;
      cancelLimit?.();
      resumeOuter?.();
      onResume();
    };
  }
}
