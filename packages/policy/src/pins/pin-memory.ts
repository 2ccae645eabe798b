import type { Cancel, Notices } from "@hostside/core";
import { clock, sameJson } from "@hostside/core/implement";
import {
  withApproved,
  withFirstUse,
  withoutPins,
  writePinRecord,
  type Fingerprints,
  type PinChange,
  type PinRecord,
  type ToolPrint,
} from "./pin-record.ts";
import type { PinStore } from "./pin-store.ts";

/** The pins that this process knows, and the way to the store. */
export interface PinMemory {
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
}

/** The parts of a memory. */
export interface PinMemoryInit {
  readonly pinStore: Pick<PinStore, "change" | "load">;
  /** Called when other pins are known now, by what the store says or somebody did. */
  readonly onChange: () => void;
  /** Told why something could not be kept. It is tried again with the next change. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes an empty one; nothing is read yet. */
export function createPinMemory({ pinStore, onChange, onFailure }: PinMemoryInit): PinMemory {
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
      onFailure(error);
      adopt(kept);
    }
  };
  const commit = (change: PinChange, onKept: () => void = () => {}): Promise<void> => track(save(change, onKept));
  return {
    get record() {
      return record;
    },
    load: () => (unsaved.size > 0 ? commit((stored) => stored) : track(read())),
    trust(key, tools) {
      if (record === undefined) return;
      record = withFirstUse(record, key, tools);
      unsaved.set(key, tools);
      commit((stored) => stored).catch(onFailure);
    },
    approve: (key, tools, onKept) => commit((stored) => withApproved(stored, key, tools), onKept),
    revoke: (keys, toolNames, onKept) =>
      commit((stored) => keys.reduce((all, key) => withoutPins(all, key, toolNames), stored), onKept),
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Reads again what another replica has changed. */
export interface NoticeReader {
  /** Tells the other replicas. Never throws. */
  publish(): void;
  /** Hears of nothing any more. Idempotent. */
  close(): void;
}

/** The parts of a reader of notices. */
export interface NoticeReaderInit {
  readonly notices: Notices;
  readonly topic: string;
  readonly read: () => Promise<void>;
  /** Told why it could not be read. It is tried again. */
  readonly onFailure: (error: unknown) => void;
  /** Told why the others could not be told. */
  readonly onUnsent: (error: unknown) => void;
}

const retryMs = 5000;

/**
 * Makes one, which listens from now on. However many notices come, one reading is under way and one
 * is still to come.
 */
export function readOnNotice({ notices, topic, read, onFailure, onUnsent }: NoticeReaderInit): NoticeReader {
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
      onFailure(error);
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
  const stopListening = notices.subscribe(topic, onNotice);
  return {
    publish: () =>
      void Promise.resolve()
        .then(() => notices.publish(topic))
        .catch(onUnsent),
    close() {
      state.isClosed = true;
      cancelRetry();
      stopListening();
    },
  };
}
