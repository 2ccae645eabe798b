import type { Cancel, Clock } from "@toolport/core";

/** What `work` comes to if it does so within the time, else `undefined`. It goes on by itself, and may be waited for again. */
export async function within<T>(timeoutMs: number, work: Promise<T>, clock: Clock): Promise<T | undefined> {
  let cancel: Cancel | undefined;
  const timeUp = new Promise<undefined>((resolve) => {
    cancel = clock.schedule(timeoutMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    cancel?.();
  }
}
