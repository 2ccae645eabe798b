import type { AdmissionServer, JsonObject, ServerWords, ToolDefinition } from "@hostside/core";
import { compareEntries } from "./compare-entries.ts";
import { diffWords } from "./diff-locks.ts";
import { wordsName } from "./judge-pin.ts";
import { pinKey } from "./pin-key.ts";
import type { PinPlan } from "./pin-options.ts";
import type { PinnedEntries, PinStore } from "./pin-store.ts";
import type { ToolChange } from "./tool-change.ts";

/**
 * What servers listed for tools when they were pinned: for telling what changed since, and for
 * nothing else.
 */
export interface KnownEntries {
  remember(serverId: string, toolName: string, entry: JsonObject | undefined): void;
  /** Keeps what is remembered of these tools. */
  save(serverId: string, toolNames: Iterable<string>): Promise<void>;
  /** Reads what is kept of a server, once. */
  load(serverId: string): Promise<void>;
  /**
   * What changed since a tool was pinned, and what its server says otherwise; `undefined` where
   * that is not known.
   */
  changesOf(definition: ToolDefinition, server: AdmissionServer | undefined): readonly ToolChange[] | undefined;
}

/** Makes them; of the tools in a lock they are known from the start. */
export function createPinnedEntries(
  { locks }: Pick<PinPlan, "locks">,
  pinStore: Pick<PinStore, "addEntries" | "loadEntries">,
): KnownEntries {
  const known = new Map<string, Map<string, JsonObject>>();
  const loaded = new Set<string>();
  const ofServer = (serverId: string): Map<string, JsonObject> => {
    const entries = known.get(serverId) ?? new Map<string, JsonObject>();
    known.set(serverId, entries);
    return entries;
  };
  return {
    remember(serverId, toolName, entry) {
      if (entry !== undefined) ofServer(serverId).set(toolName, entry);
    },
    async save(serverId, toolNames) {
      const entries = ofServer(serverId);
      const chosen: PinnedEntries = new Map(
        Array.from(toolNames).flatMap((name) => {
          const entry = entries.get(name);
          return entry === undefined ? [] : [[name, entry] as const];
        }),
      );
      if (chosen.size > 0) await pinStore.addEntries(serverId, chosen);
    },
    async load(serverId) {
      if (loaded.has(serverId)) return;
      const stored = await pinStore.loadEntries(serverId);
      loaded.add(serverId);
      const entries = ofServer(serverId);
      for (const [name, entry] of stored) if (!entries.has(name)) entries.set(name, entry);
    },
    changesOf({ origin, entry }, server) {
      const { serverId = "", toolName = "" } = origin ?? {};
      const [entries, lock, words] = [
        known.get(pinKey(serverId, server?.registration)),
        locks.get(serverId),
        server?.words,
      ];
      const before = entries?.get(toolName) ?? lock?.tools.get(toolName)?.definition;
      const said: ServerWords | undefined = entries?.get(wordsName) ?? lock?.server;
      const inWords = said === undefined || words === undefined ? [] : diffWords(said, words);
      if (before === undefined || entry === undefined) return inWords.length === 0 ? undefined : inWords;
      return [...inWords, ...compareEntries(before, entry)];
    },
  };
}
