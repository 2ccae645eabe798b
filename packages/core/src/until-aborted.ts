import { onAbort } from "./on-abort.ts";

/**
 * Settles as `work` does, or rejects with the signal's reason, whichever comes first. `work` goes
 * on by itself; its late failure is silent.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    const stopListening = onAbort(signal, giveUp);
    work.then(resolve, reject).finally(stopListening);
  });
}
