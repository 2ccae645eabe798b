import type { Cancel, Clock, Diagnostic, ToolDefinition } from "@hostside/core";
import type { RankedSource } from "../ranking/embedding-ranker.ts";
import { embedEntries, type EmbedParts, type EmbeddingEntry } from "./embed-entries.ts";
import { endpointErrorText } from "./endpoint-health.ts";
import { toolText } from "./tool-text.ts";

/** How far an index is; tools of the very same words count once. */
export interface IndexProgress {
  /** Tools whose vectors are there. */
  readonly ready: number;
  /** Tools that are still to be embedded. */
  readonly pending: number;
  /** Tools whose texts the model does not take; they are not tried again. */
  readonly refused: number;
}

/** The vectors of all tools, built and kept up to date in the background. */
export interface VectorIndex {
  /** `undefined` while there is no vector; `"left-out"` of a definition that is not to have one. */
  find(definition: ToolDefinition): EmbeddingEntry["vector"] | "left-out";
  /**
   * Embeds what a source offers, and what it offers later, and forgets what no source offers any
   * more.
   */
  follow(source: RankedSource): Cancel;
  /** Embeds these as well; for a ranker that follows nobody. */
  note(definitions: readonly ToolDefinition[]): void;
  /** Embeds anew what has another length: it was kept by another model of the same id. */
  redoOthers(dimensions: number): void;
  readonly progress: IndexProgress;
  /** Resolves when nothing is left to do, or nothing can be done for now. */
  whenIdle(): Promise<void>;
  close(): void;
}

/** What an index is made from. */
export interface VectorIndexInit extends EmbedParts {
  readonly id: string;
  readonly include: (definition: ToolDefinition) => boolean;
  readonly maxTools: number;
  readonly clock: Clock;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

interface IndexState {
  /** By the key of the text: tools of the same words share one. */
  readonly entries: Map<string, EmbeddingEntry>;
  readonly byDefinition: WeakMap<ToolDefinition, EmbeddingEntry | "left-out" | "no-room">;
  readonly sources: Set<RankedSource>;
  readonly noted: Set<ToolDefinition>;
  /** What is on offer may be another than the last look saw. */
  changed: boolean;
  closed: boolean;
  saidTooMany: boolean;
}

/** Makes an empty index. Nothing is sent before it is given tools. */
export function createVectorIndex(init: VectorIndexInit): VectorIndex {
  const state: IndexState = {
    entries: new Map(),
    byDefinition: new WeakMap(),
    sources: new Set(),
    noted: new Set(),
    changed: false,
    closed: false,
    saidTooMany: false,
  };
  const builder = createBuilder(init, state);
  return {
    find(definition) {
      const entry = state.byDefinition.get(definition);
      return entry === "left-out" ? entry : typeof entry === "object" ? entry.vector : undefined;
    },
    follow(source) {
      state.sources.add(source);
      const unsubscribe = source.onToolsChanged(builder.lookAgain);
      builder.lookAgain();
      return () => {
        unsubscribe();
        if (state.sources.delete(source)) builder.lookAgain();
      };
    },
    note(definitions) {
      if (state.sources.size > 0) return;
      const before = state.noted.size;
      for (const definition of definitions) if (state.noted.size < init.maxTools) state.noted.add(definition);
      if (state.noted.size > before) builder.lookAgain();
    },
    redoOthers(dimensions) {
      for (const definition of offeredBy(state)) {
        const entry = state.byDefinition.get(definition);
        if (typeof entry !== "object" || entry.vector === undefined) continue;
        if (entry.vector.bytes.length === dimensions) continue;
        state.entries.delete(entry.key);
        state.byDefinition.delete(definition);
      }
      builder.lookAgain();
    },
    get progress() {
      const count = { ready: 0, pending: 0, refused: 0 };
      for (const entry of state.entries.values()) count[entry.state] += 1;
      return count;
    },
    whenIdle: () => builder.whenIdle(),
    close() {
      state.closed = true;
      builder.close();
      state.entries.clear();
      state.sources.clear();
      state.noted.clear();
    },
  };
}

interface Builder {
  readonly lookAgain: () => void;
  whenIdle(): Promise<void>;
  close(): void;
}

/** One build at a time, and another one after what was waited for. */
function createBuilder(init: VectorIndexInit, state: IndexState): Builder {
  let running: Promise<void> | undefined;
  let cancelRetry: Cancel = () => {};
  const run = async (): Promise<void> => {
    // Never in the middle of whoever changed something, and once for many changes.
    await Promise.resolve();
    let waitMs = 0;
    try {
      do waitMs = await build(init, state);
      while (state.changed && !state.closed);
    } catch (error) {
      const message = `the index of embeddings could not be built (${endpointErrorText(error)})`;
      init.onDiagnostic({ kind: "defect", serverId: "", message });
    }
    running = undefined;
    if (waitMs > 0 && !state.closed) cancelRetry = init.clock.schedule(waitMs, start);
  };
  const start = (): void => {
    if (state.closed || running !== undefined) return;
    cancelRetry();
    running = run();
  };
  return {
    lookAgain() {
      state.changed = true;
      start();
    },
    async whenIdle() {
      await running;
    },
    close: () => cancelRetry(),
  };
}

/**
 * Goes on until there is nothing left to do, or nothing can be done for now. Resolves with how long
 * to wait then, in milliseconds; 0: until something changes.
 */
async function build(init: VectorIndexInit, state: IndexState): Promise<number> {
  state.changed = false;
  await readOffer(init, state);
  while (!state.closed && !state.changed) {
    const pending = Array.from(state.entries.values()).filter((entry) => entry.state === "pending");
    if (pending.length === 0) return 0;
    const waitMs = await embedEntries(init, pending);
    if (waitMs > 0) return waitMs;
  }
  return 0;
}

/**
 * Finds the entry of each definition, forgets those that nobody offers any more, but for the store,
 * and makes new ones where there is room.
 */
async function readOffer(init: VectorIndexInit, state: IndexState): Promise<void> {
  const { entries, byDefinition } = state;
  const offered = offeredBy(state);
  const fresh: { readonly key: string; readonly definition: ToolDefinition; readonly before?: EmbeddingEntry }[] = [];
  for (const definition of offered) {
    const known = byDefinition.get(definition);
    if (typeof known === "object") {
      // It was forgotten while nobody offered it, and comes back as the same object.
      if (entries.get(known.key) !== known) fresh.push({ key: known.key, definition, before: known });
      continue;
    }
    if (known === "left-out") continue;
    if (!isIncluded(init, definition)) {
      byDefinition.set(definition, "left-out");
      continue;
    }
    const key = await keyOf(init.id, toolText(definition));
    if (state.closed) return;
    const entry = entries.get(key);
    // A new listing makes new definitions of the same words.
    if (entry === undefined) fresh.push({ key, definition });
    else byDefinition.set(definition, entry);
  }
  const needed = new Set(offered.map((definition) => byDefinition.get(definition)));
  for (const [key, entry] of entries) if (!needed.has(entry)) entries.delete(key);
  for (const { key, definition, before } of fresh) {
    const entry = entries.get(key);
    if (entry === undefined && entries.size >= init.maxTools) {
      byDefinition.set(definition, "no-room");
      sayTooMany(init, state);
      continue;
    }
    const made: EmbeddingEntry = entry ??
      before ?? { key, definition, state: "pending", refusals: 0, vector: undefined };
    entries.set(key, made);
    byDefinition.set(definition, made);
  }
}

function offeredBy({ sources, noted }: IndexState): readonly ToolDefinition[] {
  return sources.size === 0 ? Array.from(noted) : Array.from(sources).flatMap((source) => source.tools());
}

function isIncluded({ include }: VectorIndexInit, definition: ToolDefinition): boolean {
  try {
    return include(definition);
  } catch {
    // A rule that cannot be asked says no: what was not sent can still be sent later.
    return false;
  }
}

function sayTooMany({ maxTools, onDiagnostic }: VectorIndexInit, state: IndexState): void {
  if (state.saidTooMany) return;
  state.saidTooMany = true;
  const message = `more than ${maxTools} tools are on offer; the others are not embedded (maxTools)`;
  onDiagnostic({ kind: "embedding-limit", serverId: "", message });
}

async function keyOf(id: string, text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify([id, text])));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
