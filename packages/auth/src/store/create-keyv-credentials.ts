import { createMemoryLock, type Lock, type Store } from "@hostside/core";
import { assertKnownOptions, type Fields, clock, storeFailed, doStep } from "@hostside/core/implement";
import { createDocumentStore, type TextStore, type TextWrite } from "./create-document-store.ts";
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

const limit = { timeoutMs: 5000 };
const optionFields: Fields<KeyvCredentialsOptions> = { store: true, lock: true, keys: true, prefix: true };

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
  const texts = createSealedStore(store, sealer, `${prefix}marker`);
  const index = createStoreIndex(texts, lock, prefix);
  const placeOf: TextStore["placeOf"] = async (key, text) => ({
    name: prefix + (await hashNameHex(text)),
    what: describeKey(key),
  });
  const documents = createDocumentStore({
    placeOf,
    get: (place) => texts.get(place),
    async set(place, text, { ttlMs, assertNotLost }) {
      const write = (): Promise<void> => texts.set(place, text, { ttlMs, assertNotLost });
      // Listed first: what is kept and not listed would be overlooked when somebody signs out of
      // everything. A sign-in that is under way ends by itself.
      await (place.kind === "pending" ? write() : index.change(place.key, true, write));
    },
    async delete(place) {
      const remove = (): Promise<void> => texts.delete(place);
      await (place.kind === "pending" ? remove() : index.change(place.key, false, remove));
      return true;
    },
    keys: () => index.list(),
    lock,
    lockOf: ({ name }) => `${prefix}lock:${name.slice(prefix.length)}`,
  });
  const resealOne = async (key: CredentialKey, keyText: string): Promise<boolean> => {
    const place = await placeOf(key, keyText);
    return index.change(keyText, true, async (assertAlone) => {
      const text = await texts.get(place);
      if (text === undefined) return false;
      assertAlone();
      await texts.set(place, text);
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

// In parts, so that of many thousand keys not all are written for each new one, and not all who
// sign in wait for each other.
const mostParts = 64;
const leaseMs = 30_000;

/** Lists the keys of a store in documents of the same store, because a `Keyv` cannot be asked. */
function createStoreIndex(texts: ReturnType<typeof createSealedStore>, lock: Lock, prefix: string) {
  const partOf = (part: number) => ({
    key: `index:${part}`,
    name: `${prefix}index:${part}`,
    what: `part ${part} of the index of the store`,
  });
  const parts = Array.from({ length: mostParts }, (_, part) => partOf(part));
  type Part = ReturnType<typeof partOf>;
  const read = async (part: Part): Promise<Set<string>> => {
    const text = await texts.get(part);
    // Nobody else can have sealed it.
    const { keys } = text === undefined ? { keys: [] } : readDocumentEnvelope(part.what, text).document;
    return new Set(keys as readonly string[]);
  };
  const write = (part: Part, keys: Iterable<string>): Promise<void> =>
    texts.set(part, envelopeText({ key: part.key, document: { keys: Array.from(keys) } }));
  const alone = <T>(part: Part, work: (assertAlone: () => void) => Promise<T>): Promise<T> =>
    lock.withLock(`${part.name}:lock`, leaseMs, (signal) =>
      work(() => {
        if (signal.aborted) throw storeFailed(`${part.what}: the store was too slow, and somebody else has the turn`);
      }),
    );
  return {
    /**
     * Does `work` alone among all who change keys of the same part. The key is listed before, or
     * removed afterwards if it is not `kept`. `assertAlone` throws `store_failed` when the turn is
     * lost.
     */
    async change<T>(key: string, kept: boolean, work: (assertAlone: () => void) => Promise<T>): Promise<T> {
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
    /** All keys. There may be one among them of which nothing is kept any more. */
    async list(): Promise<readonly string[]> {
      const all = await settleInTurns(parts, read);
      return all.flatMap((keys) => Array.from(keys));
    },
    /** Seals the index anew where that was done with another key. */
    async reseal(): Promise<void> {
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

const present = "hostside";
const forgotten = "the store does not have what was just written to it: it is down, or forgets";

/**
 * Makes of any `Keyv` one that does not lie. By default a Keyv and some of its adapters swallow the
 * error of a database that is down: `get` resolves to `undefined` then, `set` to `true`. So nothing
 * counts as absent unless a marker, which is there, can be read in between; and what was written is
 * read again. `marker`: a name that nothing else is kept under.
 */
function createSealedStore(store: Store, sealer: Sealer, marker: string) {
  const ask = (name: string): Promise<unknown> => doStep("reading from the store", limit, async () => store.get(name));
  const put = async (...write: Parameters<Store["set"]>): Promise<void> => {
    const said = await doStep("writing to the store", limit, async () => store.set(...write));
    if (said === false)
      throw storeFailed("writing to the store failed; what is wrong, the store said nowhere but in its events");
  };
  const assertAnswers = async (): Promise<void> => {
    if ((await ask(marker)) === present) return;
    await put(marker, present);
    if ((await ask(marker)) !== present) throw storeFailed(forgotten);
  };
  const read = async (name: string): Promise<string | undefined> => {
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
    /** The text; `undefined` when the store answers and has none. */
    async get(place: SealedPlace): Promise<string | undefined> {
      const sealed = await read(place.name);
      return sealed === undefined ? undefined : sealer.open(place, sealed);
    },
    /** Resolves when the store has it. */
    async set(place: SealedPlace, text: string, { ttlMs, assertNotLost }: Partial<TextWrite> = {}): Promise<void> {
      const sealed = await sealer.seal(place, text);
      const startedAt = clock.now();
      await put(place.name, sealed, ttlMs, assertNotLost?.());
      const value = await ask(place.name);
      // What was to be kept for a moment may have been there for that moment.
      const isOver = clock.now() - startedAt >= (ttlMs ?? Infinity) && (value === undefined || value === null);
      if (value !== sealed && !isOver) throw storeFailed(forgotten);
    },
    /** Resolves when the store has it no more. */
    async delete({ name }: SealedPlace): Promise<void> {
      await doStep("deleting from the store", limit, async () => store.delete(name));
      if ((await read(name)) !== undefined) throw storeFailed("the store still has what was just deleted from it");
    },
  };
}
