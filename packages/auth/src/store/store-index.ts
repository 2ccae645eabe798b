import type { Lock, FencingToken, Store } from "@hostside/core";
import { clock, isJsonObject, storeFailed, doStep } from "@hostside/core/implement";
import { settleInTurns } from "../settle-in-turns.ts";
import { envelopeText, readDocumentEnvelope } from "./credential-key.ts";
import { hashText, type SealedPlace, type Sealer } from "./sealer.ts";

/** Lists the keys of a store, because a `Keyv` cannot be asked. */
export interface StoreIndex {
  /**
   * Does `work` alone among all who change keys of the same part. The key is listed before, or
   * removed afterwards if it is not `kept`. `assertAlone` throws `store_failed` when the turn is
   * lost.
   */
  change<T>(key: string, kept: boolean, work: (assertAlone: () => void) => Promise<T>): Promise<T>;
  /** All keys. There may be one among them of which nothing is kept any more. */
  list(): Promise<readonly string[]>;
  /** Seals the index anew where that was done with another key. */
  reseal(): Promise<void>;
}

/** Parts of a {@linkcode StoreIndex}. */
export interface StoreIndexInit {
  readonly texts: ConfirmedStore;
  readonly lock: Lock;
  readonly sealer: Sealer;
  readonly prefix: string;
}

interface Part extends SealedPlace {
  readonly key: string;
}

// In parts, so that of many thousand keys not all are written for each new one, and not all who
// sign in wait for each other.
const mostParts = 64;
const leaseMs = 30_000;

/** Makes an index in sealed documents of the same store. */
export function createStoreIndex({ texts, lock, sealer, prefix }: StoreIndexInit): StoreIndex {
  const partOf = (part: number): Part => ({
    key: `index:${part}`,
    name: `${prefix}index:${part}`,
    what: `part ${part} of the index of the store`,
  });
  const parts = Array.from({ length: mostParts }, (_, part) => partOf(part));
  const read = async (part: Part): Promise<Set<string>> => {
    const sealed = await texts.get(part.name);
    return sealed === undefined ? new Set() : readKeys(part.what, await sealer.open(part, sealed));
  };
  const write = async (part: Part, keys: Iterable<string>): Promise<void> => {
    const text = envelopeText({ key: part.key, document: { keys: Array.from(keys) } });
    await texts.set(part.name, await sealer.seal(part, text));
  };
  const alone = <T>(part: Part, work: (assertAlone: () => void) => Promise<T>): Promise<T> =>
    lock.withLock(`${part.name}:lock`, leaseMs, (signal) =>
      work(() => {
        if (signal.aborted) throw storeFailed(`${part.what}: the store was too slow, and somebody else has the turn`);
      }),
    );
  return {
    async change(key, kept, work) {
      const [hash = 0] = await hashText(key);
      const part = partOf(hash % mostParts);
      return alone(part, async (assertAlone) => {
        const keys = await read(part);
        if (kept && !keys.has(key)) await write(part, keys.add(key));
        assertAlone();
        const result = await work(assertAlone);
        assertAlone();
        if (!kept && keys.delete(key)) await write(part, keys);
        return result;
      });
    },
    async list() {
      const all = await settleInTurns(parts, read);
      return all.flatMap((keys) => Array.from(keys));
    },
    async reseal() {
      for (const part of parts) {
        await alone(part, async (assertAlone) => {
          const keys = await read(part);
          assertAlone();
          if (keys.size > 0) await write(part, keys);
        });
      }
    },
  };
}

function readKeys(what: string, text: string): Set<string> {
  const { document } = readDocumentEnvelope(what, text);
  const { keys } = isJsonObject(document) ? document : {};
  if (!Array.isArray(keys)) throw storeFailed(`${what}: not written by Hostside`);
  return new Set(keys.filter((key): key is string => typeof key === "string"));
}

/** A store of texts whose answers can be relied on. */
export interface ConfirmedStore {
  /** The text; `undefined` when the store answers and has none. */
  get(name: string): Promise<string | undefined>;
  /** Resolves when the store has it. */
  set(name: string, text: string, keeping?: WriteOptions): Promise<void>;
  /** Resolves when the store has it no more. */
  delete(name: string): Promise<void>;
}

/** Options of a write. */
export interface WriteOptions {
  /** The time to live; absent: without an end. */
  readonly ttlMs?: number | undefined;
  /** The turn, for a store that knows of fencing tokens. */
  readonly fencingToken?: FencingToken | undefined;
}

/** Parts of a {@linkcode ConfirmedStore}. */
export interface ConfirmedStoreInit extends Pick<Parameters<typeof doStep>[1], "timeoutMs"> {
  readonly store: Store;
  /** A name that nothing else is kept under. */
  readonly marker: string;
}

const present = "hostside";

/**
 * Makes of any `Keyv` one that does not lie. By default a Keyv and some of its adapters swallow the
 * error of a database that is down: `get` resolves to `undefined` then, `set` to `true`. So nothing
 * counts as absent unless a marker, which is there, can be read in between; and what was written is
 * read again.
 */
export function createConfirmedStore(init: ConfirmedStoreInit): ConfirmedStore {
  const { store, marker } = init;
  const ask = (name: string): Promise<unknown> => doStep("reading from the store", init, async () => store.get(name));
  const put = async (name: string, text: string, { ttlMs, fencingToken }: WriteOptions): Promise<void> => {
    const said = await doStep("writing to the store", init, async () => store.set(name, text, ttlMs, fencingToken));
    if (said === false)
      throw storeFailed("writing to the store failed; what is wrong, the store said nowhere but in its events");
  };
  const assertAnswers = async (): Promise<void> => {
    if ((await ask(marker)) === present) return;
    await put(marker, present, {});
    if ((await ask(marker)) !== present) {
      throw storeFailed("the store does not have what was just written to it: it is down, or forgets");
    }
  };
  const get = async (name: string): Promise<string | undefined> => {
    let value = await ask(name);
    if (value === undefined || value === null) {
      await assertAnswers();
      value = await ask(name);
    }
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw storeFailed("the store has something under one of its names that is no text");
    return value;
  };
  return {
    get,
    async set(name, text, keeping = {}) {
      const { ttlMs = Number.POSITIVE_INFINITY } = keeping;
      const startedAt = clock.now();
      await put(name, text, keeping);
      const value = await ask(name);
      // What was to be kept for a moment may have been there for that moment.
      const isOver = clock.now() - startedAt >= ttlMs && (value === undefined || value === null);
      if (value !== text && !isOver) {
        throw storeFailed("the store does not have what was just written to it: it is down, or forgets");
      }
    },
    async delete(name) {
      await doStep("deleting from the store", init, async () => store.delete(name));
      if ((await get(name)) !== undefined) throw storeFailed("the store still has what was just deleted from it");
    },
  };
}
