import { createMemoryLock, type Lock, type Store } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { createDocumentStore, type TextStore } from "./create-document-store.ts";
import { createConfirmedStore, createStoreIndex } from "./store-index.ts";
import { describeKey, readKey } from "./credential-key.ts";
import type { CredentialKey, CredentialStore } from "./credential-store.ts";
import { hashNameHex, createSealer, readSealingKeys, type SealingKey } from "./sealer.ts";

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
