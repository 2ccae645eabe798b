import {
  HostsideError,
  type AdmissionServer,
  type JsonObject,
  type JsonValue,
  type ToolDefinition,
} from "@hostside/core";
import { isJsonObject, readVersioned, resultWithin, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import type { ToolChange } from "../policy-event.ts";
import type { PolicyParts } from "../refuse.ts";
import { compareEntries, diffWords } from "./diff-locks.ts";
import { wordsName } from "./judge-pin.ts";
import type { PinPlan } from "./pin-options.ts";
import { pinKey, pinsFormat, readPinRecord, writePinRecord, type PinChange, type PinRecord } from "./pin-record.ts";

/** The entries of tools that were pinned, by remote name. */
export type PinnedEntries = ReadonlyMap<string, JsonObject>;

/**
 * Keeps pins for longer than a process. All of it rejects when the store does, and with
 * `store_failed` for what a later version has written and when the store takes longer than 10 s;
 * then nothing is written that was not on its way to the store by then.
 */
export interface PinStore {
  load(): Promise<PinRecord>;
  /** Reads, changes and writes, while no one else does. Resolves with what is kept now. */
  change(change: PinChange): Promise<PinRecord>;
  /** Reads entries. Empty where there are none, or none of use. */
  loadEntries(serverId: string): Promise<PinnedEntries>;
  /** Keeps these beside those that are there, as long as they are no more than 1 MiB together. */
  addEntries(serverId: string, entries: PinnedEntries): Promise<void>;
}

/** The key of the record, and what replicas are told of when it changes. */
export const recordKey: string = "hostside:policy:pins";
const entriesFormat: ValueVersion = { what: "the tools that were pinned", version: 1 };
const answerMs = 10_000;
const mostEntriesLength = 1024 * 1024;

/** The parts of a store of pins. */
export interface PinStoreInit extends Pick<PolicyParts, "store" | "lock"> {
  /** Called when the record is another one now, in the store. */
  readonly onWritten: () => void;
}

/** Makes one. */
export function createPinStore({ store, lock, onWritten }: PinStoreInit): PinStore {
  const bounded = async <T>(work: (time: { readonly isOver: boolean }) => Promise<T>): Promise<T> => {
    const time = { isOver: false };
    const working = work(time).then((value) => ({ value }));
    const done = await resultWithin(working, answerMs);
    time.isOver = true;
    if (done !== undefined) return done.value;
    const message = `the store of the policy did not answer within ${answerMs} ms`;
    throw new HostsideError(message, { code: "store_failed", outcome: "unknown" });
  };
  const entriesKey = (serverId: string): string => `${recordKey}:${serverId}`;
  /** Reads a value, and writes what `next` makes of it, unless that is nothing. */
  const rewrite = (key: string, next: (stored: unknown) => JsonValue | undefined): Promise<boolean> =>
    bounded((time) =>
      lock.withLock(key, answerMs, async (signal, fencingToken) => {
        const value = next(await store.get(key));
        if (value === undefined) return false;
        // The caller was told that it failed, or somebody else has the lock.
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
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(
    items.flatMap((item): readonly [string, JsonObject][] => {
      const [name, entry]: readonly unknown[] = Array.isArray(item) ? item : [];
      return typeof name === "string" && isJsonObject(entry) ? [[name, entry]] : [];
    }),
  );
}

function writeEntries(entries: PinnedEntries): JsonValue {
  let length = 0;
  return Array.from(entries).filter(([, entry]) => (length += JSON.stringify(entry).length) <= mostEntriesLength);
}

/** The entries of tools when they were pinned: for telling what changed since. */
export interface KnownEntries {
  remember(key: string, toolName: string, entry: JsonObject | undefined): void;
  /** Keeps what is remembered of these tools. */
  save(key: string, toolNames: Iterable<string>): Promise<void>;
  /** Reads what is kept of a server, once. */
  load(key: string): Promise<void>;
  /**
   * Lists what changed since a tool was pinned, and what its server says otherwise; `undefined`
   * where that is not known.
   */
  changesOf(definition: ToolDefinition, server: AdmissionServer | undefined): readonly ToolChange[] | undefined;
}

/** Makes an empty memory; the tools in a lock are known from the start. */
export function createKnownEntries({ locks }: Pick<PinPlan, "locks">, pinStore: PinStore): KnownEntries {
  const known = new Map<string, Map<string, JsonObject>>();
  const loaded = new Set<string>();
  const ofServer = (key: string): Map<string, JsonObject> => {
    const entries = known.get(key) ?? new Map<string, JsonObject>();
    known.set(key, entries);
    return entries;
  };
  return {
    remember(key, toolName, entry) {
      if (entry !== undefined) ofServer(key).set(toolName, entry);
    },
    async save(key, toolNames) {
      const names = new Set(toolNames);
      const chosen = new Map(Array.from(ofServer(key)).filter(([name]) => names.has(name)));
      if (chosen.size > 0) await pinStore.addEntries(key, chosen);
    },
    async load(key) {
      if (loaded.has(key)) return;
      const stored = await pinStore.loadEntries(key);
      loaded.add(key);
      const entries = ofServer(key);
      for (const [name, entry] of stored) if (!entries.has(name)) entries.set(name, entry);
    },
    changesOf({ origin, entry }, server) {
      const { serverId = "", toolName = "" } = origin ?? {};
      const entries = known.get(pinKey(serverId, server?.registration));
      const lock = locks.get(serverId);
      const before = entries?.get(toolName) ?? lock?.tools.get(toolName)?.definition;
      const said = entries?.get(wordsName) ?? lock?.server;
      const inWords = said === undefined || server?.words === undefined ? [] : diffWords(said, server.words);
      if (before === undefined || entry === undefined) return inWords.length === 0 ? undefined : inWords;
      return [...inWords, ...compareEntries(before, entry)];
    },
  };
}
