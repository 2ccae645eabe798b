import { systemClock, type Cancel, type Clock } from "./clock.ts";
import { onAbort } from "./waiting.ts";

/** A time budget as those see it who share it: what is left of it, and a way to stop its clock. */
export interface SharedDeadline {
  /** Time left, in milliseconds; never negative. Stands still while paused. */
  remainingMs(): number;
  /**
   * Stops the clock until the returned function is called; pauses may overlap. For the time a human
   * needs to answer.
   */
  pause(): Cancel;
}

/** One time budget over several steps, and the abort signal that goes with it. */
export interface Deadline extends SharedDeadline {
  /**
   * Aborts when the time is up (its reason is that of `onTimeout`), or when the caller's signal
   * does (with its reason).
   */
  readonly signal: AbortSignal;
  /**
   * Releases the timer and the listener on the caller's signal. The signal never aborts afterwards.
   * Idempotent.
   */
  dispose(): void;
}

/** The parts of a {@linkcode Deadline}. */
export interface DeadlineInit {
  readonly timeoutMs: number;
  /** The caller's signal. One that is aborted already aborts the deadline at once. */
  readonly signal?: AbortSignal | undefined;
  /**
   * A budget that this one is a part of: no more than is left of it, and while this one stands
   * still, so does that.
   */
  readonly outer?: SharedDeadline | undefined;
  /** How long the clock may stand still in all, in milliseconds. Default: for ever. */
  readonly mostPausedMs?: number | undefined;
  /** Makes the reason of the abort when the time is up. */
  readonly onTimeout: () => unknown;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** Starts a deadline. The caller disposes of it. */
export function createDeadline(init: DeadlineInit): Deadline {
  return new RunningDeadline(init);
}

/** Starts a time budget without a signal. Calls `onTimeout` when the time is up. */
export function createTimeBudget(
  init: Omit<DeadlineInit, "signal" | "onTimeout"> & { readonly onTimeout: () => void },
): SharedDeadline & Pick<Deadline, "dispose"> {
  return new TimeBudget(init);
}

class RunningDeadline implements Deadline {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #budget: TimeBudget | undefined;
  #ignore: Cancel | undefined;

  constructor({ signal, onTimeout, ...init }: DeadlineInit) {
    this.signal = this.#controller.signal;
    if (signal?.aborted === true) {
      this.#controller.abort(signal.reason);
      return;
    }
    this.#ignore = signal && onAbort(signal, () => this.#abort(signal.reason));
    this.#budget = new TimeBudget({ ...init, onTimeout: () => this.#abort(onTimeout()) });
  }

  remainingMs(): number {
    return this.#budget?.remainingMs() ?? 0;
  }

  pause(): Cancel {
    return this.#budget?.pause() ?? (() => {});
  }

  dispose(): void {
    this.#budget?.dispose();
    this.#ignore?.();
    this.#ignore = undefined;
  }

  #abort(reason: unknown): void {
    this.dispose();
    this.#controller.abort(reason);
  }
}

class TimeBudget implements SharedDeadline {
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  readonly #onTimeout: () => void;
  #leftMs: number;
  #startedAt: number;
  #cancelTimer: Cancel | undefined;
  #done = false;

  constructor({
    timeoutMs,
    outer,
    mostPausedMs = Number.POSITIVE_INFINITY,
    clock = systemClock,
    onTimeout,
  }: Parameters<typeof createTimeBudget>[0]) {
    this.#onTimeout = onTimeout;
    this.#clock = clock;
    this.#pauses = new Pauses({ clock, outer, mostPausedMs, onResume: () => void (this.#done || this.#start()) });
    this.#leftMs = outer === undefined ? timeoutMs : Math.min(timeoutMs, outer.remainingMs());
    this.#startedAt = clock.now();
    this.#start();
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
  }

  #start(): void {
    this.#startedAt = this.#clock.now();
    this.#cancelTimer = this.#clock.schedule(this.#leftMs, () => {
      this.dispose();
      this.#onTimeout();
    });
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
