import { clock, type Cancel, type Random } from "./clock.ts";
import type { Subscription } from "./event.ts";
import { isJsonObject, type JsonValue, type JsonObject } from "./json.ts";
import { HostsideError, type CallOutcome } from "./hostside-error.ts";
import { formatMs, quoteText, cleanText } from "./text.ts";
import { safeCause } from "./redaction.ts";
import { longestTimeoutMs } from "./limits.ts";
import { pause } from "./waiting.ts";

/**
 * A store for what a host keeps for longer than a call, or for more than one process: approvals,
 * tokens, what was used of a budget. Has the shape of a `Keyv`, so that any of its adapters (Redis,
 * Postgres, SQLite, …) will do. Values are JSON.
 */
export interface Store {
  /** Returns the value under the key; `undefined` when there is none, or its time is over. */
  get(key: string): Promise<unknown>;
  /**
   * Keeps a value in place of the one before. `ttlMs`: for how long, in milliseconds; absent:
   * without an end. `fencingToken`: the writer has a lock; a store that knows of fencing tokens
   * rejects with `store_failed`, and writes nothing, when somebody had the same lock after it.
   * Others take no notice of it.
   */
  set(key: string, value: JsonValue, ttlMs?: number, fencingToken?: FencingToken): Promise<unknown>;
  /** Forgets a key. Not an error when there is nothing. `fencingToken` as in {@linkcode set}. */
  delete(key: string, fencingToken?: FencingToken): Promise<unknown>;
}

/**
 * Which of all who had one lock one after the other somebody is: so that who lost it without
 * noticing can do no harm.
 */
export interface FencingToken {
  /** The key of the lock. */
  readonly key: string;
  /** Larger with everyone who gets the lock; not necessarily by one. */
  readonly number: number;
}

/**
 * Lets one at a time do something, in this process or among all that share what stands behind it.
 */
export interface Lock {
  /**
   * Waits for the lock, does the work, and gives the lock back, whatever the work does. Settles as
   * the work does.
   *
   * `leaseMs` is how long the work may have the lock, in milliseconds: then the next one gets it,
   * and the `signal` that the work was given aborts, because from then on it is alone no more. So
   * one that hangs or dies holds up nobody for ever. Rejects with `overloaded` when there is no
   * room to wait.
   *
   * `fencingToken` is for the writes of the work, to a {@linkcode Store} that goes with the lock.
   * Absent: this lock gives none.
   */
  withLock<T>(
    key: string,
    leaseMs: number,
    work: (signal: AbortSignal, fencingToken?: FencingToken) => Promise<T>,
  ): Promise<T>;
}

/**
 * Tells the other replicas of a host that something changed, so that they look again. A notice says
 * nothing else, may come twice and may be lost with a connection, which counts as one when it is
 * back: what is true stands in the {@linkcode Store}.
 */
export interface Notices {
  /** Tells all others; whoever publishes hears nothing of it. Rejects with `store_failed`. */
  publish(topic: string): Promise<void>;
  /**
   * Calls `onNotice` when another replica has published, and when something of it may have been
   * missed. It must not throw. Takes effect as soon as the engine can be reached; never throws for
   * one that cannot.
   */
  subscribe(topic: string, onNotice: () => void): Subscription;
}

/** The kind and format of a value in a {@linkcode Store}. */
export interface ValueVersion {
  /** Which value, for errors: "the pins of the policy". */
  readonly what: string;
  /**
   * The format that this version of Hostside writes: 1, 2, … What a reader may overlook is no new
   * format.
   */
  readonly version: number;
}

/** A value as it is kept, with the version of its format. */
export function writeVersioned(value: JsonValue, { version }: ValueVersion): JsonObject {
  return { version, value };
}

/**
 * Returns what {@linkcode writeVersioned} was given; `undefined` when nothing is kept. Throws
 * `store_failed` for a value of another version, of which nobody may write over a later one, and
 * for anything else that is no such value.
 */
export function readVersioned(stored: unknown, { what, version }: ValueVersion): JsonValue | undefined {
  if (stored === undefined || stored === null) return undefined;
  if (!isJsonObject(stored) || !Number.isSafeInteger(stored["version"]) || stored["value"] === undefined) {
    throw unreadable(`what the store has of ${what} is not what was kept there`);
  }
  const { version: from, value } = stored as { readonly version: number; readonly value: JsonValue };
  if (from === version) return value;
  if (from > version) {
    throw unreadable(
      `${what} were written by a later version of Hostside (format ${from}, this one knows ${version}), and are left as they are`,
    );
  }
  throw unreadable(`what the store has of ${what} is of format ${from}, which is not known`);
}

function unreadable(message: string): HostsideError {
  return new HostsideError(message, { code: "store_failed", retryable: false });
}

/**
 * A `store_failed`. `reason` is what a part that is not ours threw; its message is shown, its
 * members are not. `outcome`: `unknown` for a write that may have been done; default `not-sent`.
 */
export function storeFailed(what: string, reason?: unknown, outcome?: CallOutcome): HostsideError {
  const said = reason instanceof Error && reason.message !== "" ? `: ${cleanText(reason.message, 300)}` : "";
  return new HostsideError(what + said, { code: "store_failed", outcome, cause: safeCause(reason, (text) => text) });
}

/**
 * Does one step of a part that is not ours. Rejects with `store_failed` when it throws, and when it
 * takes too long: a client of a database that is down may keep what it is asked for until the
 * database is back.
 */
export function doStep<T>(
  what: string,
  { timeoutMs }: { readonly timeoutMs: number },
  step: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(storeFailed(`${what} took more than ${formatMs(timeoutMs)}`));
    const cancel = clock.schedule(timeoutMs, late);
    const work = async (): Promise<T> => step();
    work()
      .then(resolve, (error: unknown) => reject(storeFailed(`${what} failed`, error)))
      .finally(cancel);
  });
}

// One more value, and the one goes that was set longest ago.
const maxEntries = 10_000;
// Waiters for one key; one more is refused with `overloaded`.
const maxWaiting = 1000;

interface Entry {
  readonly json: string;
  /** When its time is over, by the clock. */
  readonly endsAt: number;
}

/**
 * A store for one process: everything in it is gone with the process. Values are kept as JSON text,
 * as a store outside of the process would, so that nobody changes one that another reader has.
 *
 * `set` rejects with a `TypeError` for a value that JSON cannot write, and for a time that is not
 * above 0; and as `delete` does with `store_failed` for a fencing token, of
 * {@linkcode createMemoryLock}, that is older than one which has written.
 *
 * @example
 * const store = createMemoryStore();
 * await store.set("key", { any: "JSON" }, 60_000); // for a minute
 */
export function createMemoryStore(): Store {
  // In the order in which they were set.
  const entries = new Map<string, Entry>();
  const newestTokens = new Map<string, number>();
  const find = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (entry === undefined || entry.endsAt > clock.now()) return entry;
    entries.delete(key);
    return undefined;
  };
  const makeRoom = (): void => {
    if (entries.size < maxEntries) return;
    const now = clock.now();
    for (const [key, { endsAt }] of entries) if (endsAt <= now) entries.delete(key);
    for (const key of entries.keys()) {
      if (entries.size < maxEntries) return;
      entries.delete(key);
    }
  };
  return {
    async get(key) {
      const entry = find(key);
      // Written here, by JSON.
      return entry === undefined ? undefined : (JSON.parse(entry.json) as JsonValue);
    },
    async set(key, value, ...[ttlMs, fencingToken]) {
      const json = JSON.stringify(value) as string | undefined;
      if (json === undefined) throw new TypeError(`the value of ${quoteText(key)} is none that JSON has`);
      if (ttlMs !== undefined && !(typeof ttlMs === "number" && ttlMs > 0)) {
        throw new TypeError("ttlMs must be a number above 0");
      }
      assertNewest(newestTokens, fencingToken);
      entries.delete(key);
      makeRoom();
      entries.set(key, { json, endsAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs });
      return true;
    },
    async delete(key, fencingToken) {
      assertNewest(newestTokens, fencingToken);
      return find(key) !== undefined && entries.delete(key);
    },
  };
}

// Refuses a fencing token that is older than another one of its key which came through.
function assertNewest(newest: Map<string, number>, fencingToken: FencingToken | undefined): void {
  if (fencingToken === undefined) return;
  const { key, number } = fencingToken;
  if (number < (newest.get(key) ?? 0)) {
    throw new HostsideError(`somebody else has had the lock ${quoteText(key)} since, and nothing was written`, {
      code: "store_failed",
    });
  }
  newest.delete(key);
  newest.set(key, number);
  const [oldest] = newest.keys();
  if (newest.size > maxEntries && oldest !== undefined) newest.delete(oldest);
}

/**
 * A lock for one process. Waiters get it in the order of asking. A timer runs while somebody has
 * a lock, and none otherwise.
 *
 * `withLock` rejects with a `TypeError` for a lease that is not above 0 and at most
 * {@linkcode longestTimeoutMs}.
 *
 * @example
 * await createMemoryLock().withLock("key", 5000, async (signal) => work(signal));
 */
export function createMemoryLock(): Lock {
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
    if (queue.length >= maxWaiting) {
      throw new HostsideError(`${maxWaiting} wait for the lock ${quoteText(key)} already`, { code: "overloaded" });
    }
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

/** Says that a lock was held for longer than its lease. */
export function leaseError(key: string, leaseMs: number): HostsideError {
  return new HostsideError(`the lock ${quoteText(key)} was held for ${formatMs(leaseMs)}, and goes to the next`, {
    code: "aborted",
    outcome: "unknown",
  });
}

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
