import { createMemoryLock, type JsonValue, type Lock, type Store } from "@hostside/core";
import { isPlainObject, readVersioned, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import type { TrustPlace, TrustRecord } from "./trust.ts";

const key = "hostside:trust";
const longestChangeMs = 10_000;
const format: ValueVersion = { what: "the answers about trust", version: 1 };

/** Answers in a store, as one value. */
export interface TrustRecords {
  read(place: TrustPlace): Promise<TrustRecord | undefined>;
  write(record: TrustRecord): Promise<void>;
  /** Resolves to how many there were. */
  remove(place: Partial<TrustPlace>): Promise<number>;
  all(): Promise<readonly TrustRecord[]>;
}

/**
 * Answers in this store. Changes are made one after the other, among all that share the lock; who
 * lost it without noticing writes nothing. Rejects as the store and the lock do, and with
 * `store_failed` for what a later version of Hostside has written, which is left as it is.
 */
export function createTrustRecords(store: Store, lock: Lock = createMemoryLock()): TrustRecords {
  const all = async (): Promise<readonly TrustRecord[]> => {
    const stored = await store.get(key);
    // What nobody here can have written is as good as nothing: the user is asked again.
    const records = isPlainObject(stored) && "version" in stored ? readVersioned(stored, format) : undefined;
    return Array.isArray(records) ? records.filter(isRecord) : [];
  };
  const change = (edit: (records: readonly TrustRecord[]) => readonly TrustRecord[]): Promise<void> =>
    lock.withLock(key, longestChangeMs, async (signal, fencingToken) => {
      const records = edit(await all());
      // Not every store knows of fencing tokens.
      signal.throwIfAborted();
      await store.set(key, writeVersioned(records as unknown as JsonValue, format), undefined, fencingToken);
    });
  return {
    all,
    read: async (place) => (await all()).find((record) => isSamePlace(record, place)),
    write: (record) => change((records) => [...records.filter((one) => !isSamePlace(one, record)), record]),
    async remove(place) {
      let count = 0;
      await change((records) => {
        const left = records.filter((record) => !matches(record, place));
        count = records.length - left.length;
        return left;
      });
      return count;
    },
  };
}

function isSamePlace(record: TrustPlace, place: TrustPlace): boolean {
  return record.file === place.file && matches(record, place);
}

function matches(record: TrustPlace, { folder, file, serverId }: Partial<TrustPlace>): boolean {
  return (
    (folder === undefined || record.folder === folder) &&
    (file === undefined || record.file === file) &&
    (serverId === undefined || record.serverId === serverId)
  );
}

// What a store has is whatever somebody put there.
function isRecord(value: unknown): value is TrustRecord {
  if (!isPlainObject(value)) return false;
  const { folder, file = "", serverId, answer, fingerprint, parts, answeredAt } = value;
  return (
    [folder, file, serverId, fingerprint].every((text) => typeof text === "string") &&
    (answer === "trust" || answer === "refuse") &&
    isPlainObject(parts) &&
    typeof answeredAt === "number"
  );
}
