import { createMemoryLock, type FencingToken, type JsonValue, type Lock, type Store } from "@hostside/core";
import { isPlainObject, readVersioned, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import { hashText } from "./describe-entry.ts";
import type { TrustPlace, TrustRecord } from "./trust.ts";

const prefix = "hostside:trust:";
const indexKey = `${prefix}index`;

/** Answers in a store: one value for each, and one with their keys, because a store cannot list. */
export interface TrustRecords {
  read(place: TrustPlace): Promise<TrustRecord | undefined>;
  write(record: TrustRecord): Promise<void>;
  /** How many there were. */
  remove(place: Partial<TrustPlace>): Promise<number>;
  all(): Promise<readonly TrustRecord[]>;
}

const longestChangeMs = 10_000;
const indexVersion: ValueVersion = { what: "the list of answers about trust", version: 1 };
const recordVersion: ValueVersion = { what: "an answer about trust", version: 1 };

/**
 * Answers in this store. Changes are made one after the other, among all that share the lock; who
 * lost it without noticing writes nothing. Rejects as the store and the lock do, and with
 * `store_failed` for what a later version of Hostside has written, which is left as it is.
 */
export function createTrustRecords(store: Store, lock: Lock = createMemoryLock()): TrustRecords {
  const changing = (
    work: (keys: readonly string[], fencingToken: FencingToken | undefined) => Promise<void>,
  ): Promise<void> =>
    lock.withLock(indexKey, longestChangeMs, async (signal, fencingToken) => {
      const keys = await readIndex(store);
      // Not every store knows of fencing tokens.
      signal.throwIfAborted();
      return work(keys, fencingToken);
    });
  const writeIndex = (keys: readonly string[], fencingToken: FencingToken | undefined): Promise<unknown> =>
    store.set(indexKey, writeVersioned([...keys], indexVersion), undefined, fencingToken);
  const list = (key: string): Promise<void> =>
    changing(async (keys, fencingToken) => {
      if (!keys.includes(key)) await writeIndex([...keys, key], fencingToken);
    });
  const readRecord = async (key: string): Promise<TrustRecord | undefined> =>
    toRecord(readKept(await store.get(key), recordVersion));
  const all = async (): Promise<readonly (readonly [string, TrustRecord])[]> => {
    const found: [string, TrustRecord][] = [];
    for (const key of await readIndex(store)) {
      const record = await readRecord(key);
      if (record !== undefined) found.push([key, record]);
    }
    return found;
  };
  return {
    async read(place) {
      const key = await keyOf(place);
      const record = await readRecord(key);
      if (record === undefined || !matches(record, place)) return undefined;
      if (!(await readIndex(store)).includes(key)) await list(key);
      return record;
    },
    async write(record) {
      const key = await keyOf(record);
      await changing(async (keys, fencingToken) => {
        // What nobody here may write over is read before anything is written.
        await readRecord(key);
        // First the index: what counts can be listed.
        if (!keys.includes(key)) await writeIndex([...keys, key], fencingToken);
        await store.set(key, writeVersioned(record as unknown as JsonValue, recordVersion), undefined, fencingToken);
      });
    },
    async remove(place) {
      let count = 0;
      await changing(async (keys, fencingToken) => {
        const gone = (await all()).filter(([, record]) => matches(record, place)).map(([key]) => key);
        for (const key of gone) await store.delete(key, fencingToken);
        count = gone.length;
        if (count > 0)
          await writeIndex(
            keys.filter((key) => !gone.includes(key)),
            fencingToken,
          );
      });
      return count;
    },
    all: async () => (await all()).map(([, record]) => record),
  };
}

async function keyOf({ folder, file, serverId }: TrustPlace): Promise<string> {
  return `${prefix}${await hashText(JSON.stringify([folder, file ?? null, serverId]))}`;
}

async function readIndex(store: Store): Promise<readonly string[]> {
  const keys = readKept(await store.get(indexKey), indexVersion);
  return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [];
}

// What nobody here can have written is as good as nothing: the user is asked again.
function readKept(stored: unknown, version: ValueVersion): JsonValue | undefined {
  return isPlainObject(stored) && "version" in stored ? readVersioned(stored, version) : undefined;
}

function matches(record: TrustPlace, { folder, file, serverId }: Partial<TrustPlace>): boolean {
  return (
    (folder === undefined || record.folder === folder) &&
    (file === undefined || record.file === file) &&
    (serverId === undefined || record.serverId === serverId)
  );
}

// What a store has is whatever somebody put there.
function toRecord(value: unknown): TrustRecord | undefined {
  if (!isPlainObject(value)) return undefined;
  const { folder, file, serverId, answer, fingerprint, parts, answeredAt } = value;
  if (answer !== "trust" && answer !== "refuse") return undefined;
  if (typeof folder !== "string" || typeof serverId !== "string" || typeof fingerprint !== "string") return undefined;
  if (!isPlainObject(parts) || typeof answeredAt !== "number") return undefined;
  const hashes = Object.entries(parts).filter((part): part is [string, string] => typeof part[1] === "string");
  const common = { folder, serverId, answer, fingerprint, parts: Object.fromEntries(hashes), answeredAt } as const;
  return typeof file === "string" ? { ...common, file } : common;
}
