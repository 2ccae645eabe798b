import { systemClock, type Cancel, type Clock } from "./clock.ts";

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
  /** Releases the timer and the listener on the caller's signal. The signal never aborts afterwards. Idempotent. */
  dispose(): void;
}

/** What a {@linkcode Deadline} is made from. */
export interface DeadlineInit {
  readonly timeoutMs: number;
  /** The caller's signal. One that is aborted already aborts the deadline at once. */
  readonly signal?: AbortSignal | undefined;
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
  const { timeoutMs, signal, outer, mostPausedMs = Number.POSITIVE_INFINITY, onTimeout, clock = systemClock } = init;
  // Made when somebody asks for the signal: it is the dearest part, and most deadlines are only looked at for their time.
  let controller: AbortController | undefined;
  let ending: { readonly reason: unknown } | undefined;
  const pauses = createPauses({ clock, outer, mostPausedMs, onResume: () => void (done || start()) });
  let leftMs = outer === undefined ? timeoutMs : Math.min(timeoutMs, outer.remainingMs());
  let startedAt = clock.now();
  let cancelTimer: Cancel | undefined;
  let done = false;

  const dispose = (): void => {
    done = true;
    cancelTimer?.();
    pauses.end();
    signal?.removeEventListener("abort", onAbort);
  };
  const abort = (reason: unknown): void => {
    dispose();
    ending = { reason };
    controller?.abort(reason);
  };
  const onAbort = (): void => abort(signal?.reason);
  const start = (): void => {
    startedAt = clock.now();
    cancelTimer = clock.schedule(leftMs, () => abort(onTimeout()));
  };
  const remainingMs = (): number => Math.max(0, pauses.active ? leftMs : leftMs - (clock.now() - startedAt));

  if (signal?.aborted) {
    onAbort();
  } else {
    signal?.addEventListener("abort", onAbort);
    start();
  }
  return {
    get signal() {
      controller ??= new AbortController();
      if (ending !== undefined) controller.abort(ending.reason);
      return controller.signal;
    },
    remainingMs,
    pause() {
      if (done) return () => {};
      const left = remainingMs();
      const wasActive = pauses.active;
      const resume = pauses.begin();
      if (!wasActive && pauses.active) {
        leftMs = left;
        cancelTimer?.();
      }
      return resume;
    },
    dispose,
  };
}

interface Pauses {
  readonly active: boolean;
  begin(): Cancel;
  /** Lets go of the outer budget. */
  end(): void;
}

interface PausesInit {
  readonly clock: Clock;
  readonly outer: SharedDeadline | undefined;
  readonly mostPausedMs: number;
  readonly onResume: () => void;
}

/** The pauses of one deadline: they may overlap, and take no more than `mostPausedMs` in all. */
function createPauses({ clock, outer, mostPausedMs, onResume }: PausesInit): Pauses {
  let running = 0;
  let usedMs = 0;
  let goOn: Cancel | undefined;

  const stop = (): void => {
    const leftMs = mostPausedMs - usedMs;
    if (leftMs <= 0) return;
    const stoppedAt = clock.now();
    const resumeOuter = outer?.pause();
    const cancelLimit = leftMs === Number.POSITIVE_INFINITY ? undefined : clock.schedule(leftMs, () => goOn?.());
    goOn = () => {
      goOn = undefined;
      usedMs += clock.now() - stoppedAt;
      cancelLimit?.();
      resumeOuter?.();
      onResume();
    };
  };
  return {
    get active() {
      return goOn !== undefined;
    },
    begin() {
      running += 1;
      if (running === 1) stop();
      let isRunning = true;
      return () => {
        if (!isRunning) return;
        isRunning = false;
        running -= 1;
        if (running === 0) goOn?.();
      };
    },
    end: () => goOn?.(),
  };
}
