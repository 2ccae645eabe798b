import { clock, type Random } from "./clock.ts";
import { createMemoryLock, leaseError } from "./memory-store.ts";
import { formatMs, quoteText } from "./text.ts";
import { longestTimeoutMs } from "./limits.ts";
import { pause } from "./waiting.ts";
import { storeFailed, type FencingToken, type Lock } from "./store.ts";
import { HostsideError } from "./hostside-error.ts";

/** A lock as somebody has it. */
export interface LockHold {
  /** For the work's writes, where the lock gives fencing tokens. */
  readonly fencingToken?: FencingToken;
  /** Whether nobody else can have it yet, by what is known in this process now. */
  isSure(): boolean;
  /** Gives it back, within a bound. A failure stays here: the lock ends by itself. */
  release(): Promise<void>;
}

/** Somebody's wait for one lock. */
export interface LockAttempt {
  /**
   * Tries once: `undefined` when somebody else has it. `onLost` is called when it is found that
   * somebody else has it now, or may have. Rejects with `store_failed` when that cannot be known.
   */
  take(onLost: (reason: unknown) => void): Promise<LockHold | undefined>;
}

/** The parts of a lock over something shared. */
export interface PolledLockInit {
  readonly random: Random;
  /** How long anybody waits for a turn, in milliseconds. */
  readonly maxWaitMs: number;
  readonly startAttempt: (key: string, leaseMs: number) => LockAttempt;
}

const firstDelayMs = 5;
const longestDelayMs = 100;

/**
 * A lock over something shared that can be tried for. In the process, one at a time tries, in the
 * order of asking; among processes, whoever comes first when it is free. The work's signal is
 * answered by the clock: a process that stood still past its lease finds it aborted before anything
 * else goes on. Its `withLock` rejects with `overloaded` for who waited `maxWaitMs`, as `take`
 * does, and with a `TypeError` for a lease that is none.
 */
export function createPolledLock({ random, maxWaitMs, startAttempt }: PolledLockInit): Lock {
  const queue = createMemoryLock();
  return {
    withLock<T>(key: string, leaseMs: number, work: Work<T>): Promise<T> {
      const isLease = typeof leaseMs === "number" && leaseMs > 0 && leaseMs <= longestTimeoutMs;
      return new Promise<T>((resolve, reject) => {
        const wait = { isOver: false };
        const giveUp = (): void => {
          wait.isOver = true;
          reject(waitError(key, maxWaitMs));
        };
        const cancelWait = isLease ? clock.schedule(maxWaitMs, giveUp) : () => {};
        const takeTurn = async (): Promise<void> => {
          const attempt = startAttempt(key, leaseMs);
          for (let delayMs = firstDelayMs; !wait.isOver; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
            // It begins before the lock is asked for, so that it is never over here later than
            // there.
            const lease = startLease(key, leaseMs);
            const hold = await attempt.take(lease.lose);
            if (hold !== undefined) {
              cancelWait();
              if (wait.isOver) return hold.release();
              const working = await lease.use(hold, work);
              await hold.release();
              void working.result.then(resolve, reject);
              return;
            }
            const jittered = delayMs * (0.5 + random());
            await pause(jittered);
          }
        };
        // A TypeError for a wrong lease comes from the queue.
        void queue
          .withLock(key, isLease ? longestTimeoutMs : leaseMs, takeTurn)
          .catch(reject)
          .finally(cancelWait);
      });
    },
  };
}

type Work<T> = (signal: AbortSignal, fencingToken?: FencingToken) => Promise<T>;

/** The time that somebody may have a lock. */
interface Lease {
  /** Says that somebody else has the lock now, or may have. */
  readonly lose: (reason: unknown) => void;
  /**
   * Does the work. Resolves when it is done, or its time is over; `result` settles as the work
   * does.
   */
  use<T>(hold: LockHold, work: Work<T>): Promise<{ readonly result: Promise<T> }>;
}

function startLease(key: string, leaseMs: number): Lease {
  const endsAt = clock.now() + leaseMs;
  const controller = new AbortController();
  const { signal } = controller;
  let isLost = false;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const abort = (reason: HostsideError): void => {
    isLost = true;
    controller.abort(reason);
    end();
  };
  const lose = (reason: unknown): void => abort(lostError(key, reason));
  const endLease = (): void => abort(leaseError(key, leaseMs));
  return {
    lose,
    async use(hold, work) {
      // A process that stood still, or was too busy for its timers, goes on with what it had in
      // hand, and only then do its timers come. So the clock says whether the signal has aborted.
      const isAborted = (): boolean => {
        if (!isLost && clock.now() >= endsAt) endLease();
        if (!isLost && !hold.isSure()) lose(storeFailed("nothing was heard of it for too long"));
        return isLost;
      };
      const throwIfAborted = (): void => {
        if (isAborted()) throw signal.reason;
      };
      Object.defineProperties(signal, { aborted: { get: isAborted }, throwIfAborted: { value: throwIfAborted } });
      const cancel = isAborted() ? () => {} : clock.schedule(endsAt - clock.now(), endLease);
      const result = (async () => work(signal, hold.fencingToken))();
      await Promise.race([result.catch(() => {}), ended]);
      cancel();
      return { result };
    },
  };
}

function waitError(key: string, waitedMs: number): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was not free within ${formatMs(waitedMs)}`, {
    code: "overloaded",
  });
}

function lostError(key: string, reason: unknown): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was lost, and somebody else may have it`, {
    code: "aborted",
    outcome: "unknown",
    cause: reason,
  });
}
