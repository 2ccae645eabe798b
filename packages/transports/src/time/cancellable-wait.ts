import type { Cancel } from "@hostside/core";
import { clock, onAbort } from "@hostside/core/implement";

/** A wait that can be taken back. */
export interface CancellableWait {
  /** Resolves when the time is up; rejects with the reason of a `cancel`. */
  readonly done: Promise<void>;
  cancel(reason: Error): void;
}

/** Starts a wait. */
export function startWait(delayMs: number): CancellableWait {
  let cancel = (_reason: Error): void => {};
  const done = new Promise<void>((resolve, reject) => {
    const cancelTimer = clock.schedule(delayMs, resolve);
    cancel = (reason) => {
      cancelTimer();
      reject(reason);
    };
  });
  return { done, cancel };
}

/** A signal that aborts when one of two does. */
interface EitherSignal {
  readonly signal: AbortSignal;
  /** Lets go of both; it aborts no more. */
  readonly release: Cancel;
}

/**
 * Joins the signal of a call and that of what outlives it, until released. Not `AbortSignal.any()`:
 * of each that was made so, Node keeps something at the signal that lives longer, for as long as
 * that lives.
 */
export function eitherSignal(ofCall: AbortSignal | undefined, lasting: AbortSignal): EitherSignal {
  if (ofCall === undefined) return { signal: lasting, release: () => {} };
  const either = new AbortController();
  const leaving = [lasting, ofCall].map((one) => {
    if (one.aborted) either.abort(one.reason);
    return onAbort(one, () => either.abort(one.reason));
  });
  return {
    signal: either.signal,
    release() {
      for (const leave of leaving) leave();
    },
  };
}

/** Something that holds a connection. */
interface Held {
  cancel(): void;
}

/**
 * Gives up what holds a connection for longer than it should. It has one timer for everything,
 * because one for each would be felt: nearly all of them are in vain.
 */
export class LingerWatch {
  readonly #lingerMs: number;
  #fresh = new Set<Held>();
  #stale = new Set<Held>();
  #cancelTimer: Cancel | undefined;

  constructor(lingerMs: number) {
    this.#lingerMs = lingerMs;
  }

  /**
   * Cancels `held` after the time to twice as much, unless the returned function is called before.
   */
  add(held: Held): Cancel {
    const own = this.#fresh;
    own.add(held);
    this.#cancelTimer ??= this.#schedule();
    return () => void own.delete(held);
  }

  /** Forgets everything, and the timer with it. */
  close(): void {
    this.#cancelTimer?.();
    this.#fresh = this.#stale = new Set();
  }

  #schedule(): Cancel {
    return clock.schedule(this.#lingerMs, () => {
      for (const held of this.#stale) held.cancel();
      this.#stale = this.#fresh;
      this.#fresh = new Set();
      this.#cancelTimer = this.#stale.size > 0 ? this.#schedule() : undefined;
    });
  }
}
