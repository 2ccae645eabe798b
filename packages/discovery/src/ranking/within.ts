import { createDeadline, type Clock } from "@toolport/core";

/** How long to wait for a hook of the product. */
export interface Patience {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Runs a hook and waits for it no longer than that: rejects when the time is up or the caller gives up. */
export async function within<T>(patience: Patience, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { timeoutMs, signal, clock } = patience;
  const onTimeout = (): Error => new Error(`no answer within ${timeoutMs} ms`);
  const deadline = createDeadline({ timeoutMs, signal, clock, onTimeout });
  try {
    return await new Promise<T>((resolve, reject) => {
      const fail = (): void => reject(deadline.signal.reason as Error);
      if (deadline.signal.aborted) fail();
      deadline.signal.addEventListener("abort", fail, { once: true });
      // In a chain, so that a hook that throws at once is one that rejects.
      void Promise.resolve(deadline.signal).then(work).then(resolve, reject);
    });
  } finally {
    deadline.dispose();
  }
}
