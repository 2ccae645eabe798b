import { clock, type Cancel } from "./clock.ts";
import { assertKnownOptions, type Fields } from "./options.ts";
import type { JsonValue } from "./json.ts";
import { quoteText, formatMs } from "./text.ts";
import type { FencingToken, Store, Lock } from "./store.ts";
import { HostsideError } from "./hostside-error.ts";
import { longestTimeoutMs } from "./limits.ts";

/** Options of {@linkcode createMemoryStore}. */
export interface MemoryStoreOptions {
  /**
   * How many values are kept; one more, and the one goes that was set longest ago. Default 10,000.
   */
  readonly maxEntries?: number | undefined;
}

interface Entry {
  readonly json: string;
  /** When its time is over, by the clock. */
  readonly endsAt: number;
}

const storeFields: Fields<MemoryStoreOptions> = { maxEntries: true };

/**
 * A store for one process: everything in it is gone with the process. Values are kept as JSON text,
 * as a store outside of the process would, so that nobody changes one that another reader has.
 *
 * `set` rejects with a `TypeError` for a value that JSON cannot write, and for a time that is not
 * above 0; and as `delete` does with `store_failed` for a fencing token, of
 * {@linkcode createMemoryLock}, that is older than one which has written. Throws a `TypeError` for
 * an option that is unknown or of a wrong type.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  assertKnownOptions("createMemoryStore()", options, storeFields);
  const { maxEntries = 10_000 } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) throw new TypeError("maxEntries must be a positive integer");
  // In the order in which they were set.
  const entries = new Map<string, Entry>();
  const fencingTokens = createFencingTokens(maxEntries);
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
      fencingTokens.pass(fencingToken);
      entries.delete(key);
      makeRoom();
      entries.set(key, { json, endsAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs });
      return true;
    },
    async delete(key, fencingToken) {
      fencingTokens.pass(fencingToken);
      return find(key) !== undefined && entries.delete(key);
    },
  };
}

interface FencingTokens {
  /** Throws `store_failed` for one that is older than another of its key which came through. */
  pass(fencingToken: FencingToken | undefined): void;
}

function createFencingTokens(most: number): FencingTokens {
  const newest = new Map<string, number>();
  return {
    pass(fencingToken) {
      if (fencingToken === undefined) return;
      const { key, number } = fencingToken;
      if (number < (newest.get(key) ?? 0)) throw outdatedError(key);
      newest.delete(key);
      newest.set(key, number);
      const [oldest] = newest.keys();
      if (newest.size > most && oldest !== undefined) newest.delete(oldest);
    },
  };
}

function outdatedError(key: string): HostsideError {
  return new HostsideError(`somebody else has had the lock ${quoteText(key)} since, and nothing was written`, {
    code: "store_failed",
  });
}

/** Options of {@linkcode createMemoryLock}. */
export interface MemoryLockOptions {
  /** How many may wait for one key; one more is refused with `overloaded`. Default 1,000. */
  readonly maxWaiting?: number | undefined;
}

const lockFields: Fields<MemoryLockOptions> = { maxWaiting: true };

/**
 * A lock for one process. Who waits gets it in the order of asking. A timer runs while somebody has
 * a lock, and none otherwise.
 *
 * `withLock` rejects with a `TypeError` for a lease that is not above 0 and at most
 * {@linkcode longestTimeoutMs}. Throws a `TypeError` for an option that is unknown or of a wrong
 * type.
 */
export function createMemoryLock(options: MemoryLockOptions = {}): Lock {
  assertKnownOptions("createMemoryLock()", options, lockFields);
  const { maxWaiting = 1000 } = options;
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
