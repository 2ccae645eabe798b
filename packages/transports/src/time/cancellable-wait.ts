import type { Clock } from "@hostside/core";

/** A wait that can be taken back. */
export interface CancellableWait {
  /** Resolves when the time is up; rejects with the reason of a `cancel`. */
  readonly done: Promise<void>;
  cancel(reason: Error): void;
}

/** Starts a wait. */
export function startWait(clock: Clock, delayMs: number): CancellableWait {
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

/** Resolves when the time is up, or at once when the signal aborts. Never rejects. */
export async function waitFor(
  delayMs: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (signal.aborted) return;
  const wait = startWait(clock, delayMs);
  const stop = (): void => wait.cancel(new Error("nobody waits any more"));
  signal.addEventListener("abort", stop, { once: true });
  try {
    await wait.done;
  } catch {
    // That is what the signal is for.
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
