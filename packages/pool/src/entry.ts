import type { ServerSpec } from "@toolport/core";
import type { McpProvider } from "@toolport/provider";
import type { EndOfProvider } from "./provider-pool.ts";

/** A set of servers that providers have, or are to have. */
export interface ServerConfig {
  readonly servers: readonly ServerSpec[];
  readonly fingerprint: string;
}

/** What a pool has under a key. */
export interface Entry {
  readonly key: string;
  state: EntryState;
  /** The set that its provider has. */
  config: ServerConfig;
  /** One that its provider refused. */
  refused: ServerConfig | undefined;
  /** Whether it has one of the places of the pool. */
  hasSlot: boolean;
  /** How many wait for it. Nobody, while it is made: it is given up. */
  waiters: number;
  leases: number;
  /** By the clock, as `createdAt`. */
  usedAt: number;
  readonly createdAt: number;
}

/** How far an entry is. */
export type EntryState = Creating | Ready | Ended;

/** A provider is made. */
export interface Creating {
  readonly name: "creating";
  /** Settles when it is ready, or will never be. */
  readonly attempt: Promise<McpProvider>;
  /** Resolves when it is ready, or when nothing is left of the attempt. */
  readonly over: Promise<void>;
  readonly controller: AbortController;
}

interface Ready {
  readonly name: "ready";
  readonly provider: McpProvider;
}

interface Ended {
  readonly name: "ending";
  readonly provider: McpProvider | undefined;
  readonly gone: Promise<void>;
}

/** How an entry ends. */
export interface Ending {
  readonly why: EndOfProvider;
  readonly reason: string;
  /** How long calls may go on, in milliseconds. */
  readonly drainMs: number;
}

/** Those that end, by key: one may wait for the end of another. */
export type EndingEntries = Map<string, Set<Entry>>;

/** Resolves when nothing is left of what has ended, under a key or at all. */
export async function untilGone(ending: EndingEntries, key?: string): Promise<void> {
  const mine = key === undefined ? allEnding(ending) : Array.from(ending.get(key) ?? []);
  await Promise.all(mine.flatMap(({ state }) => (state.name === "ending" ? [state.gone] : [])));
}

/** All that end. */
export function allEnding(ending: EndingEntries): readonly Entry[] {
  return Array.from(ending.values()).flatMap((entries) => Array.from(entries));
}
