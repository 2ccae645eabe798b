import { storeFailed } from "./store-failed.ts";

/** Who has a turn with what, in this process. */
export interface Turns {
  /** Does the work of a turn; `signal` aborts when the turn is lost. */
  during<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Throws `store_failed` when the work of a turn goes on that was lost: what it saves would take the place of what the next one saved. */
  assertNotLost(name: string, what: string): void;
}

/** See {@linkcode Turns}. */
export function createTurns(): Turns {
  /** Of works that go on, the latest last. */
  const signals = new Map<string, readonly AbortSignal[]>();
  return {
    async during(name, signal, work) {
      signals.set(name, [...(signals.get(name) ?? []), signal]);
      try {
        return await work();
      } finally {
        const left = signals.get(name)?.filter((one) => one !== signal) ?? [];
        if (left.length > 0) signals.set(name, left);
        else signals.delete(name);
      }
    },
    assertNotLost(name, what) {
      if (signals.get(name)?.at(-1)?.aborted !== true) return;
      throw storeFailed(`${what}: not saved, because the lock was lost and somebody else may have it`);
    },
  };
}
