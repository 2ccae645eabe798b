import type { Clock } from "@toolport/core";

/** Resolves when the time is up, or at once when the signal aborts. Never rejects. */
export function pauseFor(
  delayMs: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const cancel = clock.schedule(delayMs, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    function stop(): void {
      cancel();
      resolve();
    }
    signal.addEventListener("abort", stop, { once: true });
  });
}
