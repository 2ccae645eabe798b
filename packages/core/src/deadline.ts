import { systemClock, type Cancel, type Clock } from "./clock.ts";

/** One time budget over several steps, and the abort signal that goes with it. */
export interface Deadline {
  /** Aborts when the time is up (its reason is that of `onTimeout`), or when the caller's signal does (with its reason). */
  readonly signal: AbortSignal;
  /** Time left, in milliseconds; never negative. Stands still while paused. */
  remainingMs(): number;
  /** Stops the clock until the returned function is called; pauses may overlap. For the time a human needs to answer. */
  pause(): Cancel;
  /** Releases the timer and the listener on the caller's signal. The signal never aborts afterwards. Idempotent. */
  dispose(): void;
}

/** What a {@linkcode Deadline} is made from. */
export interface DeadlineInit {
  readonly timeoutMs: number;
  /** The caller's signal. One that is aborted already aborts the deadline at once. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the reason of the abort when the time is up. */
  readonly onTimeout: () => unknown;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** Starts a deadline. Who starts it disposes of it. */
export function createDeadline({ timeoutMs, signal, onTimeout, clock = systemClock }: DeadlineInit): Deadline {
  const controller = new AbortController();
  let pauses = 0;
  let leftMs = timeoutMs;
  let startedAt = clock.now();
  let cancelTimer: Cancel | undefined;
  let done = false;

  const dispose = (): void => {
    done = true;
    cancelTimer?.();
    signal?.removeEventListener("abort", onAbort);
  };
  const onAbort = (): void => {
    dispose();
    controller.abort(signal?.reason);
  };
  const start = (): void => {
    startedAt = clock.now();
    cancelTimer = clock.schedule(leftMs, () => {
      dispose();
      controller.abort(onTimeout());
    });
  };
  const remainingMs = (): number => Math.max(0, pauses > 0 ? leftMs : leftMs - (clock.now() - startedAt));

  if (signal?.aborted) {
    onAbort();
  } else {
    signal?.addEventListener("abort", onAbort);
    start();
  }
  return {
    signal: controller.signal,
    remainingMs,
    pause() {
      if (pauses === 0) {
        leftMs = remainingMs();
        cancelTimer?.();
      }
      pauses += 1;
      let paused = true;
      return () => {
        if (!paused) return;
        paused = false;
        pauses -= 1;
        if (pauses === 0 && !done) start();
      };
    },
    dispose,
  };
}
