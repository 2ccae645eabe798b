import { ToolportError, type JsonObject, type JsonValue } from "@toolport/core";
import { isJsonObject, resultWithin } from "@toolport/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { readPinRecord, writePinRecord, type PinChange, type PinRecord } from "./pin-record.ts";

/** What servers listed for tools that were pinned, by remote name: for telling what changed, and for nothing else. */
export type PinnedEntries = ReadonlyMap<string, JsonObject>;

/** Where pins are kept for longer than a process. All of it rejects when the store does, or takes longer than 10 s. */
export interface PinStore {
  load(): Promise<PinRecord>;
  /** Reads, changes and writes, while no one else does. Resolves with what is kept now. */
  change(change: PinChange): Promise<PinRecord>;
  /** Empty where there are none, or none of use. */
  loadEntries(serverId: string): Promise<PinnedEntries>;
  /** Keeps these beside those that are there, as long as they are no more than 1 MiB together. */
  addEntries(serverId: string, entries: PinnedEntries): Promise<void>;
}

const recordKey = "toolport:policy:pins";
const answerMs = 10_000;
const mostEntriesLength = 1024 * 1024;

/** Makes one. */
export function createPinStore({ store, lock, clock }: Pick<PolicyParts, "store" | "lock" | "clock">): PinStore {
  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await resultWithin(
      work().then((value) => ({ value })),
      answerMs,
      clock,
    );
    if (done !== undefined) return done.value;
    throw new ToolportError(`the store of the policy did not answer within ${answerMs} ms`, {
      code: "internal_error",
      outcome: "unknown",
    });
  };
  const entriesKey = (serverId: string): string => `${recordKey}:${serverId}`;
  const alone = <T>(key: string, work: () => Promise<T>): Promise<T> =>
    bounded(() => lock.withLock(key, answerMs, work));
  return {
    load: () => bounded(async () => readPinRecord(await store.get(recordKey))),
    change: (change) =>
      alone(recordKey, async () => {
        const before = readPinRecord(await store.get(recordKey));
        const after = change(before);
        if (after !== before) await store.set(recordKey, writePinRecord(after));
        return after;
      }),
    loadEntries: (serverId) => bounded(async () => readEntries(await store.get(entriesKey(serverId)))),
    addEntries: (serverId, entries) =>
      alone(entriesKey(serverId), async () => {
        const before = readEntries(await store.get(entriesKey(serverId)));
        await store.set(entriesKey(serverId), writeEntries(new Map([...before, ...entries])));
      }),
  };
}

function readEntries(value: unknown): PinnedEntries {
  if (!Array.isArray(value)) return new Map();
  return new Map(
    (value as readonly unknown[]).flatMap((item): readonly [string, JsonObject][] => {
      if (!Array.isArray(item)) return [];
      const [name, entry] = item as readonly unknown[];
      return typeof name === "string" && isJsonObject(entry) ? [[name, entry]] : [];
    }),
  );
}

function writeEntries(entries: PinnedEntries): JsonValue {
  let length = 0;
  return Array.from(entries).filter(([, entry]) => (length += JSON.stringify(entry).length) <= mostEntriesLength);
}
