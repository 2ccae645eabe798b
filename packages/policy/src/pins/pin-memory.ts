import { sameJson } from "@hostside/core/implement";
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
import { createBackgroundWork } from "./background-work.ts";

/** What is known of pins in this process, and the way to the store. */
export interface PinMemory {
  /** `undefined` while it has not been read. */
  readonly record: PinRecord | undefined;
  /**
   * Reads the store, or reads it again, and keeps what it does not have yet. Rejects when it cannot
   * be read; then what is known stays.
   */
  load(): Promise<void>;
  /** Takes these for all that a server has, at once, and keeps it soon. Never throws. */
  trust(serverId: string, tools: Fingerprints): void;
  /** Keeps an approval, and only then lets it count. Of one name there may be several variants. */
  approve(serverId: string, tools: Iterable<ToolPrint>, onKept: () => void): Promise<void>;
  /** Forgets; see `withoutPins`. */
  revoke(keys: readonly string[], toolNames: readonly string[] | undefined, onKept: () => void): Promise<void>;
  /** Resolves when nothing is under way. Never rejects. */
  readonly settle: () => Promise<void>;
}

/** What a memory is made from. */
export interface PinMemoryInit {
  readonly pinStore: Pick<PinStore, "change" | "load">;
  /** What is known is another now, by what the store says or somebody did. */
  readonly onChange: () => void;
  /** Something could not be kept. It is tried again with the next change. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes an empty one; nothing is read yet. */
export function createPinMemory({ pinStore, onChange, onFailure }: PinMemoryInit): PinMemory {
  let record: PinRecord | undefined;
  /** First uses that the store does not have yet. */
  const unsaved = new Map<string, Fingerprints>();
  const underWay = createBackgroundWork();

  const withUnsaved = (given: PinRecord): PinRecord => {
    let all = given;
    for (const [serverId, tools] of unsaved) all = withFirstUse(all, serverId, tools);
    return all;
  };
  /** Counts what was taken from the store: what was read before the latest may be older. */
  let step = 0;
  const adopt = (kept: PinRecord, onKept: () => void = () => {}): void => {
    step += 1;
    const before = record;
    record = withUnsaved(kept);
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
    const kept = await pinStore.change((stored) => {
      let all = stored;
      for (const [serverId, tools] of saving) all = withFirstUse(all, serverId, tools);
      return change(all);
    });
    for (const [serverId, tools] of saving) if (unsaved.get(serverId) === tools) unsaved.delete(serverId);
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
  const commit = (change: PinChange, onKept: () => void = () => {}): Promise<void> =>
    underWay.add(save(change, onKept));
  return {
    get record() {
      return record;
    },
    load: () => (unsaved.size > 0 ? commit((stored) => stored) : underWay.add(read())),
    trust(serverId, tools) {
      if (record === undefined) return;
      record = withFirstUse(record, serverId, tools);
      unsaved.set(serverId, tools);
      commit((stored) => stored).catch(onFailure);
    },
    approve: (serverId, tools, onKept) => commit((stored) => withApproved(stored, serverId, tools), onKept),
    revoke: (keys, toolNames, onKept) =>
      commit((stored) => keys.reduce((all, key) => withoutPins(all, key, toolNames), stored), onKept),
    settle: underWay.settle,
  };
}
