import { createMemoryLock, type JsonValue, type Lock, type Store } from "@toolport/core";
import { isPlainObject } from "@toolport/core/implement";
import { hashText } from "./fingerprint-entry.ts";
import type { TrustPlace, TrustRecord } from "./trust.ts";

const prefix = "toolport:trust:";
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

/** Answers in this store. Changes of the index are made one after the other, among all that share the lock. */
export function createTrustRecords(store: Store, lock: Lock = createMemoryLock()): TrustRecords {
  const changeIndex = (change: (keys: readonly string[]) => readonly string[]): Promise<void> =>
    lock.withLock(indexKey, longestChangeMs, async () => {
      const keys = await readIndex(store);
      const changed = change(keys);
      if (changed !== keys) await store.set(indexKey, [...changed]);
    });
  const list = (key: string): Promise<void> => changeIndex((keys) => (keys.includes(key) ? keys : [...keys, key]));
  const all = async (): Promise<readonly (readonly [string, TrustRecord])[]> => {
    const found: [string, TrustRecord][] = [];
    for (const key of await readIndex(store)) {
      const record = toRecord(await store.get(key));
      if (record !== undefined) found.push([key, record]);
    }
    return found;
  };
  return {
    async read(place) {
      const key = await keyOf(place);
      const record = toRecord(await store.get(key));
      if (record === undefined || !matches(record, place)) return undefined;
      if (!(await readIndex(store)).includes(key)) await list(key);
      return record;
    },
    async write(record) {
      const key = await keyOf(record);
      // First the index: what counts can be listed.
      await list(key);
      await store.set(key, record as unknown as JsonValue);
    },
    async remove(place) {
      const gone = (await all()).filter(([, record]) => matches(record, place));
      for (const [key] of gone) await store.delete(key);
      const keys = new Set(gone.map(([key]) => key));
      if (keys.size > 0) await changeIndex((known) => known.filter((key) => !keys.has(key)));
      return keys.size;
    },
    all: async () => (await all()).map(([, record]) => record),
  };
}

async function keyOf({ folder, file, serverId }: TrustPlace): Promise<string> {
  return `${prefix}${await hashText(JSON.stringify([folder, file ?? null, serverId]))}`;
}

async function readIndex(store: Store): Promise<readonly string[]> {
  const keys = await store.get(indexKey);
  return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === "string") : [];
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
