import { clock } from "./clock.ts";
import type { Subscription } from "./event.ts";
import { isJsonObject, type JsonValue, type JsonObject } from "./json.ts";
import { HostsideError } from "./hostside-error.ts";
import { formatMs } from "./text.ts";
import { safeCause } from "./safe-cause.ts";
import type { CallOutcome } from "./hostside-error-code.ts";
import { cleanText } from "./untrusted-text.ts";

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

/** How long a part that keeps something may take for one step. */
export interface StepLimit {
  readonly timeoutMs: number;
}

/**
 * Does one step of a part that is not ours. Rejects with `store_failed` when it throws, and when it
 * takes too long: a client of a database that is down may keep what it is asked for until the
 * database is back.
 */
export function doStep<T>(what: string, limit: StepLimit, step: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(storeFailed(`${what} took more than ${formatMs(limit.timeoutMs)}`));
    const cancel = clock.schedule(limit.timeoutMs, late);
    const work = async (): Promise<T> => step();
    work()
      .then(resolve, (error: unknown) => reject(storeFailed(`${what} failed`, error)))
      .finally(cancel);
  });
}
