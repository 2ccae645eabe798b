import type { Clock } from "@toolport/core";

/** Settles when the work does, or when the time is up; the work goes on. Never rejects. */
export function settleWithin(work: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(timeoutMs, resolve);
    const settled = (): void => {
      cancel();
      resolve();
    };
    void work.then(settled, settled);
  });
}

// A connection closes within three steps of `closeMs`; twice that is for one that breaks its word.
const closeSteps = 6;

/** How long the end of a session is waited for, in milliseconds. */
export function longestCloseMs(closeMs: number): number {
  return closeSteps * closeMs;
}
