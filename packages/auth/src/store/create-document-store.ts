import type { FencingToken, JsonObject, Lock } from "@hostside/core";
import { clock, storeFailed } from "@hostside/core/implement";
import {
  accountsAmong,
  envelopeText,
  keyText,
  readDocumentEnvelope,
  type CredentialKey,
  type CredentialStore,
} from "./credential-store.ts";
import type { SealedPlace } from "./sealer.ts";

/** The place of a document in a {@linkcode TextStore}. */
export interface DocumentPlace extends SealedPlace {
  readonly kind: CredentialKey["kind"];
  /** `keyText()` of its key. */
  readonly key: string;
}

/** How a text is written. */
export interface TextWrite {
  /** The time to live; absent: without an end. */
  readonly ttlMs: number | undefined;
  /**
   * Asked right before the write: throws `store_failed` if this process lost the lock of the
   * document. Else returns the fencing token, if there is one.
   */
  readonly assertNotLost: () => FencingToken | undefined;
}

/** Keeps the texts of documents. Everything rejects with `store_failed`. */
export interface TextStore {
  /** Finds the name of a key, and words for it. */
  placeOf(key: CredentialKey, text: string): Promise<SealedPlace>;
  get(place: DocumentPlace): Promise<string | undefined>;
  set(place: DocumentPlace, text: string, write: TextWrite): Promise<void>;
  /**
   * Resolves to whether this removed something; `true` where the store cannot tell. Of two that
   * meet, one does.
   */
  delete(place: DocumentPlace): Promise<boolean>;
  /** The keys of what is kept, as texts; all of those of accounts. */
  keys(): Promise<Iterable<string>>;
  readonly lock: Lock;
  /** The key of a document's lock. */
  lockOf(place: DocumentPlace): string;
}

/** Makes a credential store of a store of texts. */
export function createDocumentStore(texts: TextStore): CredentialStore {
  // The work of this process that has a lock, the latest last.
  const turns = new Map<
    string,
    readonly { readonly signal: AbortSignal; readonly fencingToken?: FencingToken | undefined }[]
  >();
  const placeOf = async (key: CredentialKey): Promise<DocumentPlace> => {
    const text = keyText(key);
    return { ...(await texts.placeOf(key, text)), kind: key.kind, key: text };
  };
  const load = async (place: DocumentPlace): Promise<JsonObject | undefined> => {
    const text = await texts.get(place);
    if (text === undefined) return undefined;
    const { key, endsAt, document } = readDocumentEnvelope(place.what, text);
    if (key !== place.key) throw storeFailed(`${place.what}: of somebody else; it was renamed or copied`);
    return endsAt !== undefined && endsAt <= clock.date() ? undefined : document;
  };
  return {
    load: async (key) => load(await placeOf(key)),
    async save(key, document, ttlMs) {
      const place = await placeOf(key);
      const endsAt = ttlMs === undefined ? undefined : clock.date() + ttlMs;
      const assertNotLost = (): FencingToken | undefined => {
        const turn = turns.get(place.name)?.at(-1);
        // What is saved would take the place of what the next one saved.
        if (turn?.signal.aborted !== true) return turn?.fencingToken;
        throw storeFailed(`${place.what}: not saved, because the lock was lost and somebody else may have it`);
      };
      await texts.set(place, envelopeText({ key: place.key, endsAt, document }), { ttlMs, assertNotLost });
    },
    async clear(key) {
      const place = await placeOf(key);
      const wasThere = await load(place).then(
        (document) => document !== undefined,
        () => true,
      );
      return (await texts.delete(place)) && wasThere;
    },
    accounts: async () => accountsAmong(await texts.keys()),
    async withLock(key, leaseMs, work) {
      const place = await placeOf(key);
      return texts.lock.withLock(texts.lockOf(place), leaseMs, async (signal, fencingToken) => {
        const turn = { signal, fencingToken };
        turns.set(place.name, [...(turns.get(place.name) ?? []), turn]);
        try {
          return await work(signal);
        } finally {
          const left = turns.get(place.name)?.filter((one) => one !== turn) ?? [];
          if (left.length > 0) turns.set(place.name, left);
          else turns.delete(place.name);
        }
      });
    },
  };
}
