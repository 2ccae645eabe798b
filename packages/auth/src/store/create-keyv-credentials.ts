import { createMemoryLock, type Lock, type Store, type FencingToken } from "@hostside/core";
import { assertKnownOptions, type Fields, clock, isJsonObject, storeFailed, doStep } from "@hostside/core/implement";
import { createDocumentStore, type TextStore } from "./create-document-store.ts";
import {
  describeKey,
  readKey,
  type CredentialKey,
  type CredentialStore,
  envelopeText,
  readDocumentEnvelope,
} from "./credential-store.ts";
import {
  hashNameHex,
  createSealer,
  readSealingKeys,
  type SealingKey,
  hashText,
  type SealedPlace,
  type Sealer,
} from "./sealer.ts";
import { settleInTurns } from "../settle-in-turns.ts";

/** Options of {@linkcode createKeyvCredentials}. */
export interface KeyvCredentialsOptions {
  /**
   * A `Keyv` with any adapter, or anything of its shape. Each read must see the writes before it.
   */
  readonly store: Store;
  /**
   * Lets one process at a time change something, among all that share the store: that of
   * `createRedisState()` or `createPostgresState()` of `@hostside/cluster`. Two processes without
   * one would redeem the same refresh token. `"this-process"` says that no other process uses the
   * store. With the store of the same state, nothing is saved by who has lost the lock to another,
   * also when they do not know it yet.
   */
  readonly lock: Lock | "this-process";
  /**
   * The first seals, all open. To change keys, put the new one in front, call `reseal()`, and then
   * leave out the old one.
   */
  readonly keys: readonly SealingKey[];
  /**
   * In front of every name in the store. Default `"hostside:"`. Products that share a store under
   * one prefix share credentials.
   */
  readonly prefix?: string | undefined;
}

/** Credentials that are sealed, whose keys can be changed. */
export interface SealedCredentials extends CredentialStore {
  /**
   * Seals anew what another key than the first one sealed. Resolves to how many documents that
   * were; ten minutes later, when sign-ins that are under way have ended, the other keys are not
   * needed. Rejects with `store_failed` at the first one
   * that cannot be opened; what was done stays, and it can be called again.
   */
  reseal(): Promise<number>;
}

const timeoutMs = 5000;
const optionFields: Fields<KeyvCredentialsOptions> = {
  store: true,
  lock: true,
  keys: true,
  prefix: true,
};

/**
 * Keeps credentials in any `Keyv`, sealed with AES-256-GCM under names that are hashes: who can
 * read the store sees how many documents there are, how long each is and when it changes.
 *
 * Throws a `TypeError` for options that are unknown, without a lock, and for keys that are no keys
 * of 32 bytes.
 *
 * @example
 * const { store, lock } = createRedisState(client);
 * const keys = [{ id: "2026-11", key: process.env["CREDENTIALS_KEY"] ?? "" }];
 * const credentials = createKeyvCredentials({ store, lock, keys });
 */
export function createKeyvCredentials(options: KeyvCredentialsOptions): SealedCredentials {
  const owner = "createKeyvCredentials()";
  assertKnownOptions(owner, options, optionFields);
  const { store, prefix = "hostside:" } = options;
  if (options.lock === undefined) throw new TypeError(`${owner} needs a lock`);
  const lock = options.lock === "this-process" ? createMemoryLock() : options.lock;
  const sealer = createSealer(readSealingKeys(owner, options.keys));
  const texts = createConfirmedStore({ store, marker: `${prefix}marker`, timeoutMs });
  const index = createStoreIndex({ texts, lock, sealer, prefix });
  const placeOf: TextStore["placeOf"] = async (key, text) => ({
    name: prefix + (await hashNameHex(text)),
    what: describeKey(key),
  });
  const documents = createDocumentStore({
    placeOf,
    async get(place) {
      const sealed = await texts.get(place.name);
      return sealed === undefined ? undefined : sealer.open(place, sealed);
    },
    async set(place, text, { ttlMs, assertNotLost }) {
      const sealed = await sealer.seal(place, text);
      const write = async (): Promise<void> => texts.set(place.name, sealed, { ttlMs, fencingToken: assertNotLost() });
      // Listed first: what is kept and not listed would be overlooked when somebody signs out of
      // everything. A sign-in that is under way ends by itself.
      await (place.kind === "pending" ? write() : index.change(place.key, true, write));
    },
    async delete({ kind, key, name }) {
      const remove = (): Promise<void> => texts.delete(name);
      await (kind === "pending" ? remove() : index.change(key, false, remove));
      return true;
    },
    keys: () => index.list(),
    lock,
    lockOf: ({ name }) => `${prefix}lock:${name.slice(prefix.length)}`,
  });
  const resealOne = async (key: CredentialKey, text: string): Promise<boolean> => {
    const place = await placeOf(key, text);
    return index.change(text, true, async (assertAlone) => {
      const sealed = await texts.get(place.name);
      if (sealed === undefined) return false;
      const opened = await sealer.open(place, sealed);
      assertAlone();
      await texts.set(place.name, await sealer.seal(place, opened));
      return true;
    });
  };
  return {
    ...documents,
    async reseal() {
      let count = 0;
      for (const text of await index.list()) {
        const key = readKey(text);
        if (key !== undefined && (await resealOne(key, text))) count += 1;
      }
      await index.reseal();
      return count;
    },
  };
}

/** Lists the keys of a store, because a `Keyv` cannot be asked. */
interface StoreIndex {
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
interface StoreIndexInit {
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
function createStoreIndex({ texts, lock, sealer, prefix }: StoreIndexInit): StoreIndex {
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
interface ConfirmedStore {
  /** The text; `undefined` when the store answers and has none. */
  get(name: string): Promise<string | undefined>;
  /** Resolves when the store has it. */
  set(name: string, text: string, keeping?: WriteOptions): Promise<void>;
  /** Resolves when the store has it no more. */
  delete(name: string): Promise<void>;
}

/** Options of a write. */
interface WriteOptions {
  /** The time to live; absent: without an end. */
  readonly ttlMs?: number | undefined;
  /** The turn, for a store that knows of fencing tokens. */
  readonly fencingToken?: FencingToken | undefined;
}

/** Parts of a {@linkcode ConfirmedStore}. */
interface ConfirmedStoreInit extends Pick<Parameters<typeof doStep>[1], "timeoutMs"> {
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
function createConfirmedStore(init: ConfirmedStoreInit): ConfirmedStore {
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
