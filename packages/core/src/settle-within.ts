import type { Clock } from "./clock.ts";

/**
 * Resolves when `work` settles, however it does, or when the time is up. For parts that are not
 * ours and may never finish. Never rejects.
 */
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

/**
 * Settles as `work` does if it does so within the time, else with `undefined`. It goes on by
 * itself, and may be waited for again.
 */
export function resultWithin<T>(work: Promise<T>, timeoutMs: number, clock: Clock): Promise<T | undefined> {
  return Promise.race([work, settleWithin(work, timeoutMs, clock).then(() => undefined)]);
}
