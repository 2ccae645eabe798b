import type { Cancel, Clock } from "@toolport/core";

/** Resolves when `work` settles, however it does, or when the time is up. For parts that are not ours and may never finish. */
export async function settleWithin(work: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<void> {
  let cancel: Cancel | undefined;
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.schedule(timeoutMs, resolve);
  });
  await Promise.race([Promise.allSettled([work]), timeUp]);
  cancel?.();
}
