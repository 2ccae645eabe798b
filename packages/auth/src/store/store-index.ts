import type { Lock, FencingToken, Store } from "@hostside/core";
import { isJsonObject, storeFailed, doStep, type StepLimit } from "@hostside/core/implement";
import { settleInTurns } from "../settle-in-turns.ts";
import { envelopeText, readDocumentEnvelope } from "./credential-key.ts";
import { hashText, type SealedPlace, type Sealer } from "./sealer.ts";

/** Which keys a store has, because a `Keyv` cannot be asked. */
export interface StoreIndex {
  /** Changes what is kept for a key, alone among all who change keys of its part of the index. */
  change<T>(place: { readonly key: string }, work: (change: IndexChange) => Promise<T>): Promise<T>;
  /** The texts of all keys. There may be one among them of which nothing is kept any more. */
  list(): Promise<readonly string[]>;
  /** Seals the index anew where that was done with another key. */
  reseal(): Promise<void>;
}

/** The part of the index that has a key, while nobody else changes it. */
export interface IndexChange {
  /** How long the key is needed, in milliseconds; `undefined` without an end. */
  readonly leftMs: number | undefined;
  put(ttlMs: number | undefined): Promise<void>;
  remove(): Promise<void>;
  /** Throws `store_failed` when it took too long, and somebody else has the turn. */
  assertAlone(): void;
}

/** What a {@linkcode StoreIndex} is made from. */
export interface StoreIndexInit {
  readonly texts: ConfirmedStore;
  readonly lock: Lock;
  readonly sealer: Sealer;
  readonly prefix: string;
  /** In milliseconds since 1970. */
  readonly now: () => number;
}

/** When each key is needed no more, in milliseconds since 1970; `null` without an end. */
type Entries = Map<string, number | null>;

// In parts, so that of many thousand keys not all are written for each new one, and not all who
// sign in wait for each other.
const parts = 64;
const leaseMs = 30_000;

/** An index in sealed documents of the same store. */
export function createStoreIndex({ texts, lock, sealer, prefix, now }: StoreIndexInit): StoreIndex {
  const places = Array.from({ length: parts }, (_, part): SealedPlace & { readonly key: string } => {
    return { key: `index:${part}`, name: `${prefix}index:${part}`, what: `part ${part} of the index of the store` };
  });
  const read = async (place: SealedPlace): Promise<Entries> => {
    const sealed = await texts.get(place.name);
    return sealed === undefined ? new Map() : readEntries(place.what, await sealer.open(place, sealed));
  };
  const write = async (place: SealedPlace & { readonly key: string }, entries: Entries): Promise<void> => {
    const current = Array.from(entries).filter(([, endsAt]) => endsAt === null || endsAt > now());
    const json = JSON.stringify({ entries: current });
    await texts.set(place.name, await sealer.seal(place, envelopeText({ key: place.key, json })));
  };
  const alone = <T>(place: SealedPlace, work: (assertAlone: () => void) => Promise<T>): Promise<T> =>
    lock.withLock(`${place.name}:lock`, leaseMs, (signal) =>
      work(() => {
        if (signal.aborted) throw storeFailed(`${place.what}: the store was too slow, and somebody else has the turn`);
      }),
    );
  return {
    async change({ key }, work) {
      const [part = 0] = await hashText(key);
      const place = places[part % parts];
      // There is one for each remainder.
      if (place === undefined) throw new TypeError(`no part ${part}`);
      return alone(place, async (assertAlone) => {
        const entries = await read(place);
        const endsAt = entries.get(key);
        const leftMs = typeof endsAt === "number" ? Math.max(1, endsAt - now()) : undefined;
        return work({
          leftMs,
          assertAlone,
          async put(ttlMs) {
            if (ttlMs === undefined && endsAt === null) return;
            assertAlone();
            await write(place, entries.set(key, ttlMs === undefined ? null : now() + ttlMs));
          },
          async remove() {
            assertAlone();
            if (entries.delete(key)) await write(place, entries);
          },
        });
      });
    },
    async list() {
      const all = await settleInTurns(places, read);
      return all.flatMap((entries) =>
        Array.from(entries).flatMap(([key, endsAt]) => (endsAt === null || endsAt > now() ? [key] : [])),
      );
    },
    async reseal() {
      for (const place of places) {
        await alone(place, async (assertAlone) => {
          const entries = await read(place);
          assertAlone();
          if (entries.size > 0) await write(place, entries);
        });
      }
    },
  };
}

function readEntries(what: string, text: string): Entries {
  const { document } = readDocumentEnvelope(what, text);
  const { entries } = isJsonObject(document) ? document : {};
  if (!Array.isArray(entries)) throw storeFailed(`${what}: not written by Hostside`);
  return new Map(entries as readonly (readonly [string, number | null])[]);
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

/** How a text is kept. */
export interface WriteOptions {
  /** For how long; absent: without an end. */
  readonly ttlMs?: number | undefined;
  /** Whose turn it is, for a store that knows of fencing tokens. */
  readonly fencingToken?: FencingToken | undefined;
}

/** What a {@linkcode ConfirmedStore} is made from. */
export interface ConfirmedStoreInit extends StepLimit {
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
      const { ttlMs } = keeping;
      const startedAt = init.clock.now();
      await put(name, text, keeping);
      const value = await ask(name);
      // What was to be kept for a moment may have been there for that moment.
      const isOver = ttlMs !== undefined && init.clock.now() - startedAt >= ttlMs;
      if (value !== text && !(isOver && (value === undefined || value === null))) {
        throw storeFailed("the store does not have what was just written to it: it is down, or forgets");
      }
    },
    async delete(name) {
      await doStep("deleting from the store", init, async () => store.delete(name));
      if ((await get(name)) !== undefined) throw storeFailed("the store still has what was just deleted from it");
    },
  };
}
