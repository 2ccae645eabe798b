import { clock, type Cancel, type Random } from "./clock.ts";
import { createMemoryLock } from "./memory-store.ts";
import { formatMs, quoteText } from "./text.ts";
import { longestTimeoutMs } from "./limits.ts";
import { storeFailed, type FencingToken, type Lock } from "./store.ts";
import { HostsideError } from "./hostside-error.ts";

/** A lock as somebody has it. */
export interface LockHold {
  /** For the work's writes, where the lock gives fencing tokens. */
  readonly fencingToken?: FencingToken;
  /** Whether nobody else can have it yet, by what is known in this process now. */
  isSure(): boolean;
  /** Gives it back, within a bound. What goes wrong stays here: it ends by itself. */
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

/** What a lock over something shared is made from. */
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
export function createPolledLock(init: PolledLockInit): Lock {
  const { maxWaitMs, startAttempt } = init;
  const queue = createMemoryLock();
  return {
    withLock<T>(key: string, leaseMs: number, work: Work<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        let isOver = false;
        const giveUp = (): void => {
          isOver = true;
          reject(waitError(key, maxWaitMs));
        };
        const cancelWait = isLease(leaseMs) ? clock.schedule(maxWaitMs, giveUp) : () => {};
        const takeTurn = async (): Promise<void> => {
          const turn = new Turn(key, leaseMs);
          const hold = await waitFor(init, startAttempt(key, leaseMs), { isOver: () => isOver, turn });
          cancelWait();
          if (hold === undefined || isOver) return hold?.release();
          await turn.do(hold, work, { resolve, reject });
          await hold.release();
          turn.settle();
        };
        // A TypeError for a wrong lease comes from the queue.
        void queue
          .withLock(key, isLease(leaseMs) ? longestTimeoutMs : leaseMs, takeTurn)
          .catch(reject)
          .finally(cancelWait);
      });
    },
  };
}

type Work<T> = (signal: AbortSignal, fencingToken?: FencingToken) => Promise<T>;

function isLease(leaseMs: number): boolean {
  return typeof leaseMs === "number" && leaseMs > 0 && leaseMs <= longestTimeoutMs;
}

interface Waiting {
  readonly isOver: () => boolean;
  readonly turn: Turn;
}

async function waitFor(init: PolledLockInit, attempt: LockAttempt, waiting: Waiting): Promise<LockHold | undefined> {
  const { random } = init;
  let delayMs = firstDelayMs;
  while (!waiting.isOver()) {
    // The lease begins before the lock is asked for, so that it is never over here later than
    // there.
    waiting.turn.begin();
    const hold = await attempt.take(waiting.turn.lose);
    if (hold !== undefined) return hold;
    const jittered = delayMs * (0.5 + random());
    await new Promise<void>((resolve) => void clock.schedule(jittered, resolve));
    delayMs = Math.min(delayMs * 2, longestDelayMs);
  }
  return undefined;
}

interface Settling<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** One who has the lock: the work, and what ends its time. */
class Turn {
  readonly #controller = new AbortController();
  readonly #key: string;
  readonly #leaseMs: number;
  #endsAt = 0;
  #isLost = false;
  #end = (): void => {};
  #settle = (): void => {};

  constructor(key: string, leaseMs: number) {
    this.#key = key;
    this.#leaseMs = leaseMs;
  }

  begin(): void {
    this.#endsAt = clock.now() + this.#leaseMs;
  }

  readonly lose = (reason: unknown): void => this.#abort(lostError(this.#key, reason));

  /**
   * Resolves when the work is done, or its time is over. How it ends is said when it ended and
   * {@linkcode settle} was called.
   */
  async do<T>(hold: LockHold, work: Work<T>, settling: Settling<T>): Promise<void> {
    const settled = new Promise<void>((done) => (this.#settle = done));
    const ended = new Promise<void>((done) => (this.#end = done));
    const signal = this.#signalFor(hold);
    let cancel: Cancel = () => {};
    if (signal.aborted) this.#end();
    else cancel = clock.schedule(this.#endsAt - clock.now(), () => this.#endLease());
    const start = async (): Promise<T> => work(signal, hold.fencingToken);
    const working = start();
    void settled.then(() => working.then(settling.resolve, settling.reject));
    const done = working.then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([done, ended]);
    cancel();
  }

  settle(): void {
    this.#settle();
  }

  /**
   * A process that stood still, or was too busy for its timers, goes on with what it had in hand,
   * and only then do its timers come. So who asks whether the signal has aborted is answered by the
   * clock.
   */
  #signalFor(hold: LockHold): AbortSignal {
    const isAborted = (): boolean => {
      if (!this.#isLost && clock.now() >= this.#endsAt) this.#endLease();
      if (!this.#isLost && !hold.isSure()) this.lose(storeFailed("nothing was heard of it for too long"));
      return this.#isLost;
    };
    const { signal } = this.#controller;
    const throwIfAborted = (): void => {
      if (isAborted()) throw signal.reason;
    };
    return Object.defineProperties(signal, { aborted: { get: isAborted }, throwIfAborted: { value: throwIfAborted } });
  }

  #endLease(): void {
    this.#abort(leaseError(this.#key, this.#leaseMs));
  }

  #abort(reason: HostsideError): void {
    this.#isLost = true;
    this.#controller.abort(reason);
    this.#end();
  }
}

function waitError(key: string, waitedMs: number): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was not free within ${formatMs(waitedMs)}`, {
    code: "overloaded",
  });
}

function leaseError(key: string, leaseMs: number): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was held for ${formatMs(leaseMs)}, and goes to the next`, {
    code: "aborted",
    outcome: "unknown",
  });
}

function lostError(key: string, reason: unknown): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was lost, and somebody else may have it`, {
    code: "aborted",
    outcome: "unknown",
    cause: reason,
  });
}
