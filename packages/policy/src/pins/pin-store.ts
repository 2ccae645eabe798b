import { HostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject, readVersioned, resultWithin, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { pinsFormat, readPinRecord, writePinRecord, type PinChange, type PinRecord } from "./pin-record.ts";

/**
 * What servers listed for tools that were pinned, by remote name: for telling what changed, and for
 * nothing else.
 */
export type PinnedEntries = ReadonlyMap<string, JsonObject>;

/**
 * Where pins are kept for longer than a process. All of it rejects when the store does, and with
 * `store_failed` for what a later version has written and when the store takes longer than 10 s;
 * then nothing is written that was not on its way to the store by then.
 */
export interface PinStore {
  load(): Promise<PinRecord>;
  /** Reads, changes and writes, while no one else does. Resolves with what is kept now. */
  change(change: PinChange): Promise<PinRecord>;
  /** Empty where there are none, or none of use. */
  loadEntries(serverId: string): Promise<PinnedEntries>;
  /** Keeps these beside those that are there, as long as they are no more than 1 MiB together. */
  addEntries(serverId: string, entries: PinnedEntries): Promise<void>;
}

/** Under which key the record is, and what replicas are told of when it changes. */
export const recordKey: string = "hostside:policy:pins";
const entriesFormat: ValueVersion = { what: "the tools that were pinned", version: 1 };
const answerMs = 10_000;
const mostEntriesLength = 1024 * 1024;

/** What a store of pins is made from. */
export interface PinStoreInit extends Pick<PolicyParts, "store" | "lock" | "clock"> {
  /** The record is another one now, in the store. */
  readonly onWritten: () => void;
}

/** Makes one. */
export function createPinStore({ store, lock, clock, onWritten }: PinStoreInit): PinStore {
  const bounded = async <T>(work: (time: { readonly isOver: boolean }) => Promise<T>): Promise<T> => {
    const time = { isOver: false };
    const done = await resultWithin(
      work(time).then((value) => ({ value })),
      answerMs,
      clock,
    );
    time.isOver = true;
    if (done !== undefined) return done.value;
    throw new HostsideError(`the store of the policy did not answer within ${answerMs} ms`, {
      code: "store_failed",
      outcome: "unknown",
    });
  };
  const entriesKey = (serverId: string): string => `${recordKey}:${serverId}`;
  /** Reads a value, and writes what `next` makes of it, unless that is nothing. */
  const rewrite = (key: string, next: (stored: unknown) => JsonValue | undefined): Promise<boolean> =>
    bounded((time) =>
      lock.withLock(key, answerMs, async (signal, fencingToken) => {
        const value = next(await store.get(key));
        if (value === undefined) return false;
        // Whoever asked was told that it failed, or somebody else has the lock.
        if (time.isOver) throw new HostsideError("the time to write is over", { code: "store_failed" });
        signal.throwIfAborted();
        await store.set(key, value, undefined, fencingToken);
        return true;
      }),
    );
  const readRecord = (stored: unknown): PinRecord => readPinRecord(readVersioned(stored, pinsFormat));
  const entriesOf = (stored: unknown): PinnedEntries => readEntries(readVersioned(stored, entriesFormat));
  return {
    load: () => bounded(async () => readRecord(await store.get(recordKey))),
    async change(change) {
      let after: PinRecord = new Map();
      const isWritten = await rewrite(recordKey, (stored) => {
        const before = readRecord(stored);
        after = change(before);
        return after === before ? undefined : writeVersioned(writePinRecord(after), pinsFormat);
      });
      if (isWritten) onWritten();
      return after;
    },
    loadEntries: (serverId) => bounded(async () => entriesOf(await store.get(entriesKey(serverId)))),
    async addEntries(serverId, entries) {
      await rewrite(entriesKey(serverId), (stored) =>
        writeVersioned(writeEntries(new Map([...entriesOf(stored), ...entries])), entriesFormat),
      );
    },
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
