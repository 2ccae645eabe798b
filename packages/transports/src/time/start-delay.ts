import type { Clock, ToolportError } from "@toolport/core";

/** A wait that can be taken back. */
export interface Delay {
  /** Resolves when the time is up; rejects with the reason of a `cancel`. */
  readonly done: Promise<void>;
  cancel(reason: ToolportError): void;
}

/** Starts a wait. */
export function startDelay(clock: Clock, delayMs: number): Delay {
  let cancel = (_reason: ToolportError): void => {};
  const done = new Promise<void>((resolve, reject) => {
    const cancelTimer = clock.schedule(delayMs, resolve);
    cancel = (reason) => {
      cancelTimer();
      reject(reason);
    };
  });
  return { done, cancel };
}
