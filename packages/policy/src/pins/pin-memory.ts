import {
  type Cancel,
  type Notices,
  HostsideError,
  type AdmissionServer,
  type JsonObject,
  type JsonValue,
  type ToolDefinition,
} from "@hostside/core";
import {
  clock,
  sameJson,
  isJsonObject,
  readVersioned,
  resultWithin,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import {
  withApproved,
  withFirstUse,
  withoutPins,
  writePinRecord,
  type Fingerprints,
  type PinChange,
  type PinRecord,
  type ToolPrint,
  pinKey,
  pinsFormat,
  readPinRecord,
} from "./pin-record.ts";
import type { ToolChange } from "../policy-event.ts";
import type { PolicyParts } from "../refuse.ts";
import { compareEntries, diffWords } from "./diff-locks.ts";
import { wordsName } from "./judge-pin.ts";
import type { PinPlan } from "./pin-options.ts";

/** The entries of tools that were pinned, by remote name. */
type PinnedEntries = ReadonlyMap<string, JsonObject>;

/** The key of the record, and what replicas are told of when it changes. */
const recordKey = "hostside:policy:pins";
const entriesFormat: ValueVersion = { what: "the tools that were pinned", version: 1 };
const answerMs = 10_000;
const mostEntriesLength = 1024 * 1024;

type PinStore = ReturnType<typeof createPinStore>;

/**
 * Keeps pins for longer than a process. All of it rejects when the store does, and with
 * `store_failed` for what a later version has written and when the store takes longer than 10 s;
 * then nothing is written that was not on its way to the store by then.
 */
function createPinStore({ store, lock }: Pick<PolicyParts, "store" | "lock">, onWritten: () => void) {
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
    load: (): Promise<PinRecord> => bounded(async () => readRecord(await store.get(recordKey))),
    /** Reads, changes and writes, while no one else does. Resolves with what is kept now. */
    async change(change: PinChange): Promise<PinRecord> {
      let after: PinRecord = new Map();
      const isWritten = await rewrite(recordKey, (stored) => {
        const before = readRecord(stored);
        after = change(before);
        return after === before ? undefined : writeVersioned(writePinRecord(after), pinsFormat);
      });
      if (isWritten) onWritten();
      return after;
    },
    /** Reads entries. Empty where there are none, or none of use. */
    loadEntries: (serverId: string): Promise<PinnedEntries> =>
      bounded(async () => entriesOf(await store.get(entriesKey(serverId)))),
    /** Keeps these beside those that are there, as long as they are no more than 1 MiB together. */
    addEntries: async (serverId: string, entries: PinnedEntries): Promise<void> => {
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
export function createKnownEntries({ locks }: Pick<PinPlan, "locks">, memory: PinMemory): KnownEntries {
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
      if (chosen.size > 0) await memory.addEntries(key, chosen);
    },
    async load(key) {
      if (loaded.has(key)) return;
      const stored = await memory.loadEntries(key);
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

/** The pins that this process knows, and the way to the store. */
export interface PinMemory extends Pick<PinStore, "loadEntries" | "addEntries"> {
  /** `undefined` while it has not been read. */
  readonly record: PinRecord | undefined;
  /**
   * Reads the store, or reads it again, and keeps what it does not have yet. Rejects when it cannot
   * be read; then what is known stays.
   */
  load(): Promise<void>;
  /** Takes these for all that a server has, at once, and keeps it soon. Never throws. */
  trust(key: string, tools: Fingerprints): void;
  /** Keeps an approval, and only then lets it count. One name may have several variants. */
  approve(key: string, tools: Iterable<ToolPrint>, onKept: () => void): Promise<void>;
  /** Forgets; see `withoutPins`. */
  revoke(keys: readonly string[], toolNames: readonly string[] | undefined, onKept: () => void): Promise<void>;
  /** Resolves when nothing is under way. Never rejects. */
  settle(): Promise<void>;
  /** Hears no more of other replicas. Idempotent. */
  close(): void;
}

/** The parts of a memory. With `notices` it reads again what another replica has changed. */
export interface PinMemoryInit extends Pick<PolicyParts, "store" | "lock" | "notices"> {
  /** Called when other pins are known now, by what the store says or somebody did. */
  readonly onChange: () => void;
  /**
   * Told why something could not be kept or read, or the other replicas could not be told. To read
   * and to keep is tried again.
   */
  readonly onFailure: (part: "store" | "notices", error: unknown) => void;
}

/** Makes an empty one; nothing is read yet. */
export function createPinMemory({ notices, onChange, onFailure, ...keepers }: PinMemoryInit): PinMemory {
  const pinStore = createPinStore(keepers, () => others?.publish());
  const { loadEntries, addEntries } = pinStore;
  const fail = (error: unknown): void => onFailure("store", error);
  let record: PinRecord | undefined;
  /** First uses that the store does not have yet. */
  const unsaved = new Map<string, Fingerprints>();
  const underWay = new Set<Promise<unknown>>();
  const track = (work: Promise<void>): Promise<void> => {
    const settled = Promise.allSettled([work]).then(() => void underWay.delete(settled));
    underWay.add(settled);
    return work;
  };
  const withAll = (given: PinRecord, firstUses: ReadonlyMap<string, Fingerprints>): PinRecord =>
    Array.from(firstUses).reduce((all, [key, tools]) => withFirstUse(all, key, tools), given);
  /** Counts what was taken from the store: what was read before the latest may be older. */
  let step = 0;
  const adopt = (kept: PinRecord, onKept: () => void = () => {}): void => {
    step += 1;
    const before = record;
    record = withAll(kept, unsaved);
    onKept();
    if (before === undefined || !sameJson(writePinRecord(before), writePinRecord(record))) onChange();
  };
  const read = async (): Promise<void> => {
    for (;;) {
      const startedAt = step;
      const kept = await pinStore.load();
      if (step === startedAt) return adopt(kept);
    }
  };
  const save = async (change: PinChange, onKept: () => void): Promise<void> => {
    const saving = new Map(unsaved);
    const startedAt = step;
    const kept = await pinStore.change((stored) => change(withAll(stored, saving)));
    for (const [key, tools] of saving) if (unsaved.get(key) === tools) unsaved.delete(key);
    if (step === startedAt) return adopt(kept, onKept);
    onKept();
    try {
      // Another process may have written after this one, and that may have been read already.
      await read();
    } catch (error) {
      fail(error);
      adopt(kept);
    }
  };
  const commit = (change: PinChange, onKept: () => void = () => {}): Promise<void> => track(save(change, onKept));
  const load = (): Promise<void> => (unsaved.size > 0 ? commit((stored) => stored) : track(read()));
  const others = notices && readOnNotice(notices, load, onFailure);
  return {
    loadEntries,
    addEntries,
    get record() {
      return record;
    },
    load,
    trust(key, tools) {
      if (record === undefined) return;
      record = withFirstUse(record, key, tools);
      unsaved.set(key, tools);
      commit((stored) => stored).catch(fail);
    },
    approve: (key, tools, onKept) => commit((stored) => withApproved(stored, key, tools), onKept),
    revoke: (keys, toolNames, onKept) =>
      commit((stored) => keys.reduce((all, key) => withoutPins(all, key, toolNames), stored), onKept),
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: () => others?.close(),
  };
}

const retryMs = 5000;

/**
 * Makes one, which listens from now on. However many notices come, one reading is under way and one
 * is still to come.
 */
function readOnNotice(notices: Notices, read: () => Promise<void>, onFailure: PinMemoryInit["onFailure"]) {
  const state = { isOutdated: false, isReading: false, isClosed: false };
  let cancelRetry: Cancel = () => {};
  const readAll = async (): Promise<void> => {
    state.isReading = true;
    try {
      while (state.isOutdated && !state.isClosed) {
        state.isOutdated = false;
        await read();
      }
    } catch (error) {
      onFailure("store", error);
      // What is known stays, and is old for certain.
      if (!state.isClosed) cancelRetry = clock.schedule(retryMs, onNotice);
    } finally {
      state.isReading = false;
    }
  };
  const onNotice = (): void => {
    cancelRetry();
    state.isOutdated = true;
    if (!state.isReading && !state.isClosed) void readAll();
  };
  const stopListening = notices.subscribe(recordKey, onNotice);
  return {
    /** Tells the other replicas. Never throws. */
    publish: (): void =>
      void Promise.resolve()
        .then(() => notices.publish(recordKey))
        .catch((error: unknown) => onFailure("notices", error)),
    close(): void {
      state.isClosed = true;
      cancelRetry();
      stopListening();
    },
  };
}
