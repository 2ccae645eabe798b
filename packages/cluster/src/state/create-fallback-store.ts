import { isHostsideError, type Clock, type JsonValue, type Store } from "@hostside/core";
import { assertKnownOptions, kindOf, systemClock, type Fields } from "@hostside/core/implement";

/** Options of {@linkcode createFallbackStore}. */
export interface FallbackStoreOptions {
  /**
   * How many values are remembered; one more, and the one goes that was read or written longest
   * ago. Default 1,000.
   */
  readonly maxEntries?: number | undefined;
  /**
   * How much is remembered of all of them, in UTF-16 units of their JSON. Default 33,554,432; a
   * larger value is not.
   */
  readonly maxLength?: number | undefined;
  /** By which remembered values end that were written here for a time. Default the real time. */
  readonly clock?: Clock | undefined;
}

const optionFields: Fields<FallbackStoreOptions> = { maxEntries: true, maxLength: true, clock: true };

/**
 * A store that answers from memory while another one fails: with what this process read or wrote
 * there last. For what may be a little old, such as names, listings and pins; never for what may be
 * used once or must be gone when it is deleted: somebody else may have deleted it meanwhile.
 *
 * `get` rejects with the error of the store when nothing is remembered. `set` and `delete` are the
 * store's alone, and reject as it does; what may have been written is remembered no more. Nothing
 * is asked of the store besides. Throws a `TypeError` for what is no store, and for options that
 * are unknown or wrong.
 */
export function createFallbackStore(store: Store, options: FallbackStoreOptions = {}): Store {
  const owner = "createFallbackStore()";
  assertKnownOptions(owner, options, optionFields);
  for (const method of ["get", "set", "delete"] as const) {
    if (typeof store !== "object" || store === null || typeof store[method] !== "function")
      throw new TypeError(`${owner}: the store must have a method ${method}(), and is ${kindOf(store)}`);
  }
  const { maxEntries = 1000, maxLength = 33_554_432, clock = systemClock } = options;
  for (const [name, most] of Object.entries({ maxEntries, maxLength })) {
    if (!Number.isSafeInteger(most) || most < 1) throw new TypeError(`${owner}: ${name} must be a positive integer`);
  }
  const memory = new Memory({ maxEntries, maxLength, clock });
  const change = async (key: string, act: () => Promise<unknown>, remembered: Remembered | undefined) => {
    const isLatest = memory.beginWrite(key);
    try {
      const answer = await act();
      memory.keep(key, isLatest() ? remembered : undefined);
      return answer;
    } catch (error) {
      isLatest();
      // What certainly was not written took the place of nothing.
      if (!isHostsideError(error) || error.outcome !== "not-sent") memory.keep(key, undefined);
      throw error;
    }
  };
  return {
    async get(key) {
      const isLatest = memory.beginRead(key);
      try {
        const value = await store.get(key);
        if (isLatest()) memory.read(key, value);
        return value;
      } catch (error) {
        isLatest();
        const known = memory.find(key);
        if (known === undefined) throw error;
        return JSON.parse(known) as JsonValue;
      }
    },
    set(key, value, ...[ttlMs, fencingToken]) {
      const json = JSON.stringify(value) as string | undefined;
      const endsAt = ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs;
      const write = async (): Promise<unknown> => store.set(key, value, ttlMs, fencingToken);
      return change(key, write, json === undefined ? undefined : { json, endsAt });
    },
    delete: (key, fencingToken) => change(key, async () => store.delete(key, fencingToken), undefined),
  };
}

interface Remembered {
  readonly json: string;
  readonly endsAt: number;
}

interface MemoryInit {
  readonly maxEntries: number;
  readonly maxLength: number;
  readonly clock: Clock;
}

/** What was seen of the store, the oldest first. */
class Memory {
  readonly #init: MemoryInit;
  readonly #entries = new Map<string, Remembered>();
  /**
   * Of keys that somebody writes now, who began last: of two at once it is not known which one came
   * last.
   */
  readonly #writers = new Map<string, { isAlone: boolean }>();
  /** Those who read now, in the order of asking. */
  readonly #readers = new Map<string, Set<{ isLatest: boolean }>>();
  #length = 0;

  constructor(init: MemoryInit) {
    this.#init = init;
  }

  /** Says, once and when it is over, whether nobody else wrote to the key meanwhile. */
  beginWrite(key: string): () => boolean {
    const before = this.#writers.get(key);
    if (before !== undefined) before.isAlone = false;
    const own = { isAlone: before === undefined };
    this.#writers.set(key, own);
    for (const reader of this.#readers.get(key) ?? []) reader.isLatest = false;
    return () => {
      if (this.#writers.get(key) === own) this.#writers.delete(key);
      return own.isAlone;
    };
  }

  /**
   * Says, once and when it is over, whether nobody wrote to the key meanwhile, nor has heard of a
   * later value.
   */
  beginRead(key: string): () => boolean {
    const readers = this.#readers.get(key) ?? new Set();
    this.#readers.set(key, readers);
    const own = { isLatest: !this.#writers.has(key) };
    readers.add(own);
    return () => {
      for (const reader of readers) {
        if (reader === own) break;
        reader.isLatest = false;
      }
      readers.delete(own);
      if (readers.size === 0 && this.#readers.get(key) === readers) this.#readers.delete(key);
      return own.isLatest;
    };
  }

  find(key: string): string | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.endsAt > this.#init.clock.now() ? entry.json : undefined;
  }

  /** What was read; how long it will be there is known only of what was written here. */
  read(key: string, value: unknown): void {
    const json = JSON.stringify(value) as string | undefined;
    const known = this.#entries.get(key);
    const endsAt = known?.json === json ? known?.endsAt : undefined;
    this.keep(key, json === undefined ? undefined : { json, endsAt: endsAt ?? Number.POSITIVE_INFINITY });
  }

  keep(key: string, entry: Remembered | undefined): void {
    this.#drop(key);
    if (entry === undefined || entry.json.length > this.#init.maxLength) return;
    this.#entries.set(key, entry);
    this.#length += entry.json.length;
    const { maxEntries, maxLength } = this.#init;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#length <= maxLength) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#length -= entry.json.length;
  }
}
