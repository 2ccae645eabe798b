import { createMemoryLock, type FencingToken, type Lock, type Store } from "@hostside/core";
import { assertKnownOptions, kindOf, type Fields } from "@hostside/core/implement";
import { createConfirmedStore, createStoreIndex } from "./store-index.ts";
import {
  accountsAmong,
  describeKey,
  keyText,
  readKey,
  assertTtl,
  documentText,
  envelopeText,
  readDocumentEnvelope,
} from "./credential-key.ts";
import { LockTurns, type CredentialKey, type CredentialStore } from "./credential-store.ts";
import { hashNameHex, createSealer, readSealingKeys, type SealedPlace, type SealingKey } from "./sealer.ts";

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
 * Throws a `TypeError` for options that are unknown or wrong, and for keys that are no keys of 32
 * bytes.
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
  assertMethods(`${owner}: store`, store, ["get", "set", "delete"]);
  if (options.lock !== "this-process") assertMethods(`${owner}: lock`, options.lock, ["withLock"]);
  if (typeof prefix !== "string") throw new TypeError(`${owner}: prefix must be a string, not ${kindOf(prefix)}`);
  const lock = options.lock === "this-process" ? createMemoryLock() : options.lock;
  const sealer = createSealer(readSealingKeys(owner, options.keys));
  const texts = createConfirmedStore({ store, marker: `${prefix}marker`, timeoutMs });
  const index = createStoreIndex({ texts, lock, sealer, prefix });
  const placeOf = async (key: CredentialKey): Promise<SealedPlace & { readonly key: string }> => {
    const text = keyText(key);
    return { key: text, name: prefix + (await hashNameHex(text)), what: describeKey(key) };
  };
  const turns = new LockTurns();
  const resealOne = async (key: CredentialKey): Promise<boolean> => {
    const place = await placeOf(key);
    return index.change(place.key, true, async (assertAlone) => {
      const sealed = await texts.get(place.name);
      if (sealed === undefined) return false;
      const text = await sealer.open(place, sealed);
      assertAlone();
      await texts.set(place.name, await sealer.seal(place, text));
      return true;
    });
  };
  return {
    async load(key) {
      const place = await placeOf(key);
      const sealed = await texts.get(place.name);
      if (sealed === undefined) return undefined;
      return readDocumentEnvelope(place.what, await sealer.open(place, sealed)).document;
    },
    async save(key, document, ttlMs) {
      assertTtl(ttlMs);
      const json = documentText(document);
      const place = await placeOf(key);
      const sealed = await sealer.seal(place, envelopeText({ key: place.key, json }));
      const write = async (): Promise<void> => {
        turns.assertNotLost(place.name, place.what);
        await texts.set(place.name, sealed, { ttlMs, fencingToken: turns.fencingTokenOf(place.name) });
      };
      // Listed first: what is kept and not listed would be overlooked when somebody signs out of
      // everything. A sign-in that is under way ends by itself.
      await (key.kind === "pending" ? write() : index.change(place.key, true, write));
    },
    async clear(key) {
      const place = await placeOf(key);
      const remove = async (): Promise<boolean> => {
        const wasThere = (await texts.get(place.name)) !== undefined;
        if (wasThere) await texts.delete(place.name);
        return wasThere;
      };
      return key.kind === "pending" ? remove() : index.change(place.key, false, remove);
    },
    async accounts() {
      return accountsAmong(await index.list());
    },
    async withLock(key, leaseMs, work) {
      const hash = await hashNameHex(keyText(key));
      const take = (signal: AbortSignal, fencingToken?: FencingToken): ReturnType<typeof work> =>
        turns.during(prefix + hash, { signal, fencingToken }, () => work(signal));
      return lock.withLock(`${prefix}lock:${hash}`, leaseMs, take);
    },
    async reseal() {
      let count = 0;
      for (const text of await index.list()) {
        const key = readKey(text);
        if (key !== undefined && (await resealOne(key))) count += 1;
      }
      await index.reseal();
      return count;
    },
  };
}

function assertMethods(what: string, value: unknown, methods: readonly string[]): void {
  const isThere = typeof value === "object" && value !== null;
  const missing = methods.find((method) => !isThere || typeof Reflect.get(value, method) !== "function");
  if (missing !== undefined) throw new TypeError(`${what} must have a method ${missing}()`);
}
