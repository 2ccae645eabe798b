import type { JsonValue } from "./json.ts";

/**
 * Where a host keeps something for longer than a call, or for more than one process: approvals, tokens, what was used of a budget. Has
 * the shape of a `Keyv`, so that any of its adapters (Redis, Postgres, SQLite, …) will do. Values are JSON.
 */
export interface Store {
  /** What was kept under the key; `undefined` when there is nothing, or its time is over. */
  get(key: string): Promise<unknown>;
  /** Keeps a value in place of the one before. `ttlMs`: for how long, in milliseconds; absent: without an end. */
  set(key: string, value: JsonValue, ttlMs?: number): Promise<unknown>;
  /** Forgets a key. Not an error when there is nothing. */
  delete(key: string): Promise<unknown>;
}

/** Lets one at a time do something, in this process or among all that share what stands behind it. */
export interface Lock {
  /**
   * Waits for the lock, does the work, and gives the lock back, whatever the work does. Settles as the work does.
   *
   * `leaseMs` is how long the work may have the lock, in milliseconds: then the next one gets it, and the `signal` that the work was
   * given aborts, because from then on it is alone no more. So one that hangs or dies holds up nobody for ever. Rejects with
   * `overloaded` when there is no room to wait.
   */
  withLock<T>(key: string, leaseMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
