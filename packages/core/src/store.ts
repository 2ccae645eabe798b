import type { Subscription } from "./event.ts";
import type { JsonValue } from "./json.ts";

/**
 * Where a host keeps something for longer than a call, or for more than one process: approvals,
 * tokens, what was used of a budget. Has the shape of a `Keyv`, so that any of its adapters (Redis,
 * Postgres, SQLite, …) will do. Values are JSON.
 */
export interface Store {
  /** What was kept under the key; `undefined` when there is nothing, or its time is over. */
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
  /** That of the lock. */
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
