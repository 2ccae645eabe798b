import { clock, type Cancel } from "./clock.ts";
import type { JsonValue } from "./json.ts";
import { quoteText, formatMs } from "./text.ts";
import type { FencingToken, Store, Lock } from "./store.ts";
import { HostsideError } from "./hostside-error.ts";
import { longestTimeoutMs } from "./limits.ts";

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
