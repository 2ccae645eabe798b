import { assertKnownOptions, type Fields } from "./assert-known-options.ts";
import { systemClock, type Cancel, type Clock } from "./clock.ts";
import { formatMs } from "./format-ms.ts";
import { longestTimeoutMs } from "./limits.ts";
import { quoteText } from "./quote-text.ts";
import type { Lock } from "./store.ts";
import { HostsideError } from "./hostside-error.ts";

/** Options of {@linkcode createMemoryLock}. */
export interface MemoryLockOptions {
  /** By which leases end. Default the real time. */
  readonly clock?: Clock | undefined;
  /** How many may wait for one key; one more is refused with `overloaded`. Default 1,000. */
  readonly maxWaiting?: number | undefined;
}

const optionFields: Fields<MemoryLockOptions> = { clock: true, maxWaiting: true };

/**
 * A lock for one process. Who waits gets it in the order of asking. A timer runs while somebody has
 * a lock, and none otherwise.
 *
 * `withLock` rejects with a `TypeError` for a lease that is not above 0 and at most
 * {@linkcode longestTimeoutMs}. Throws a `TypeError` for an option that is unknown or of a wrong
 * type.
 */
export function createMemoryLock(options: MemoryLockOptions = {}): Lock {
  assertKnownOptions("createMemoryLock()", options, optionFields);
  const { clock = systemClock, maxWaiting = 1000 } = options;
  if (!Number.isSafeInteger(maxWaiting) || maxWaiting < 0) {
    throw new TypeError("maxWaiting must be an integer of 0 or more");
  }
  let lastFencingToken = 0;
  /** For each key that somebody has, those who wait for it. */
  const queues = new Map<string, (() => void)[]>();

  const release = (key: string): void => {
    const next = queues.get(key)?.shift();
    if (next === undefined) queues.delete(key);
    else next();
  };
  const acquire = (key: string): Promise<void> | undefined => {
    const queue = queues.get(key);
    if (queue === undefined) {
      queues.set(key, []);
      return undefined;
    }
    if (queue.length >= maxWaiting) throw overloadedError(key, queue.length);
    return new Promise((resolve) => void queue.push(resolve));
  };

  return {
    async withLock(key, leaseMs, work) {
      if (!(typeof leaseMs === "number" && leaseMs > 0 && leaseMs <= longestTimeoutMs)) {
        throw new TypeError(`leaseMs must be a number above 0, at most ${longestTimeoutMs}`);
      }
      await acquire(key);
      const controller = new AbortController();
      let held = true;
      let cancel: Cancel = () => {};
      const giveBack = (): void => {
        if (!held) return;
        held = false;
        cancel();
        release(key);
      };
      try {
        cancel = clock.schedule(leaseMs, () => {
          controller.abort(leaseError(key, leaseMs));
          giveBack();
        });
        lastFencingToken += 1;
        return await work(controller.signal, { key, number: lastFencingToken });
      } finally {
        giveBack();
      }
    },
  };
}

function overloadedError(key: string, waiting: number): HostsideError {
  return new HostsideError(`${waiting} wait for the lock ${quoteText(key)} already`, { code: "overloaded" });
}

function leaseError(key: string, leaseMs: number): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was held for ${formatMs(leaseMs)}, and goes to the next`, {
    code: "aborted",
    outcome: "unknown",
  });
}
