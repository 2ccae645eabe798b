import { clock, type Cancel } from "./clock.ts";
import { onAbort } from "./waiting.ts";
import { HostsideError, isHostsideError } from "./hostside-error.ts";
import { defaultTimeouts } from "./limits.ts";
import { formatMs } from "./text.ts";

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
  /** The caller's signal. An aborted signal aborts the deadline at once. */
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
}

/** Starts a deadline. The caller disposes of it. */
export function createDeadline(init: DeadlineInit): Deadline {
  return new RunningDeadline(init);
}

class RunningDeadline implements Deadline {
  readonly #init: DeadlineInit;
  #leftMs: number;
  #startedAt = 0;
  #cancelTimer: Cancel | undefined;
  #ignoreAbort: Cancel | undefined;
  #isOver = false;
  /** Why it ended before it was disposed of. */
  #ended: { readonly reason: unknown } | undefined;
  /** Made for whoever reads the signal first, because many deadlines go without one. */
  #controller: AbortController | undefined;
  #pauses = 0;
  #pausedMs = 0;
  /** Present while the clock stands still. */
  #resume: Cancel | undefined;

  constructor(init: DeadlineInit) {
    const { timeoutMs, outer, signal } = init;
    this.#init = init;
    this.#leftMs = outer === undefined ? timeoutMs : Math.min(timeoutMs, outer.remainingMs());
    if (signal?.aborted !== true) {
      this.#ignoreAbort = signal && onAbort(signal, () => this.#end(signal.reason));
      this.#start();
    } else {
      this.#leftMs = 0;
      this.#end(signal.reason);
    }
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    }
    return this.#controller.signal;
  }

  remainingMs(): number {
    const passedMs = this.#resume === undefined ? clock.now() - this.#startedAt : 0;
    return Math.max(0, this.#leftMs - passedMs);
  }

  pause(): Cancel {
    if (this.#isOver) return () => {};
    this.#pauses += 1;
    if (this.#pauses === 1) this.#stop();
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#resume?.();
    };
  }

  dispose(): void {
    this.#isOver = true;
    this.#cancelTimer?.();
    this.#ignoreAbort?.();
    this.#resume?.();
  }

  #end(reason: unknown): void {
    this.dispose();
    this.#ended = { reason };
    this.#controller?.abort(reason);
  }

  #start(): void {
    this.#startedAt = clock.now();
    this.#cancelTimer = clock.schedule(this.#leftMs, () => this.#end(this.#init.onTimeout()));
  }

  #stop(): void {
    const { outer, mostPausedMs = Number.POSITIVE_INFINITY } = this.#init;
    const mostMs = mostPausedMs - this.#pausedMs;
    if (mostMs <= 0) return;
    this.#leftMs = this.remainingMs();
    this.#cancelTimer?.();
    const stoppedAt = clock.now();
    const resumeOuter = outer?.pause();
    const isBounded = mostMs < Number.POSITIVE_INFINITY;
    const cancelLimit = isBounded ? clock.schedule(mostMs, () => this.#resume?.()) : undefined;
    this.#resume = () => {
      this.#resume = undefined;
      this.#pausedMs += clock.now() - stoppedAt;
      cancelLimit?.();
      resumeOuter?.();
      if (!this.#isOver) this.#start();
    };
  }
}

// As long as a call stands still for a human at most.
const mostPausedMs = defaultTimeouts.elicitTotalMs;

/**
 * Runs something and waits for it no longer than that, whether it heeds its signal or not. Throws
 * `call_timeout`, `aborted`, or what the work throws.
 */
export async function runWithDeadline<T>(
  { what, timeoutMs, signal, outer }: Pick<DeadlineInit, "outer" | "signal" | "timeoutMs"> & { readonly what: string },
  work: (deadline: Deadline) => PromiseLike<T> | T,
): Promise<T> {
  if (signal?.aborted) throw abortedBy(signal, what, "not-sent");
  const onTimeout = (): HostsideError =>
    new HostsideError(`${what} did not finish within ${formatMs(timeoutMs)}`, {
      code: "call_timeout",
      details: { timeoutMs },
    });
  const deadline = createDeadline({ timeoutMs, signal, outer, mostPausedMs, onTimeout });
  const { signal: over } = deadline;
  try {
    return await new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(reasonOf(over, what));
      if (over.aborted) giveUp();
      over.addEventListener("abort", giveUp, { once: true });
      // Begins at once; in a promise of its own, so that what throws is a rejection as well.
      new Promise<T>((done) => done(work(deadline))).then(resolve, reject);
    });
  } finally {
    deadline.dispose();
  }
}

function reasonOf({ reason }: AbortSignal, what: string): HostsideError {
  return isHostsideError(reason, "call_timeout") ? reason : abortedBy({ reason }, what, "unknown");
}

function abortedBy(
  { reason }: Pick<AbortSignal, "reason">,
  what: string,
  outcome: "not-sent" | "unknown",
): HostsideError {
  return new HostsideError(`the caller aborted ${what}`, { code: "aborted", outcome, cause: reason });
}
