import type { ServerSharing } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";
import type { Capacity } from "./capacity.ts";
import type { EndOfProvider } from "./provider-pool.ts";
import type { ServerConfig } from "./server-config.ts";
import type { ReservedCapacity } from "./capacity-tracker.ts";

/** Whom a provider is for. */
export interface Owner {
  /** Unlike that of any other owner. */
  readonly id: string;
  /** For messages: `key "a"`. */
  readonly title: string;
  /** Who may share it. */
  readonly sharing: ServerSharing;
  /** Whose bound it counts for, unless all share it. */
  readonly principal: string | undefined;
  readonly conversation: string | undefined;
}

/** What a pool has for an owner. From the first on it has its places in the pool. */
export interface PoolEntry {
  readonly owner: Owner;
  state: PoolEntryState;
  /** The set that its provider has. */
  config: ServerConfig;
  /** One that its provider refused. */
  refused: ServerConfig | undefined;
  /** What it has of the bounds; more than its set takes while it gets the next one. */
  takes: Capacity;
  /** What it had more, as long as the servers that go are not gone. */
  readonly leaving: Set<ReservedCapacity>;
  /** How many wait for it. Nobody, while it is made: it is given up. */
  waiters: number;
  leases: number;
  /** By the clock, as `createdAt`. */
  usedAt: number;
  readonly createdAt: number;
}

/** How far an entry is. */
export type PoolEntryState = Creating | Ready | Ended;

/** A provider is made. */
export interface Creating {
  readonly name: "creating";
  /** Settles when it is ready, or will never be. */
  readonly attempt: Promise<McpProvider>;
  /** Resolves when it is ready, or when nothing is left of the attempt. */
  readonly over: Promise<void>;
  readonly controller: AbortController;
  /**
   * Once `make` was called there may be connections; one whose servers have all gone to others
   * before that is not made.
   */
  progress: "waiting" | "under-way" | "emptied";
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
export interface EntryEnding {
  readonly why: EndOfProvider;
  readonly reason: string;
  /** How long calls may go on, in milliseconds. */
  readonly drainMs: number;
}

/** Those that end, by the id of their owner: one may wait for the end of another. */
export type EndingEntries = Map<string, Set<PoolEntry>>;

/** Resolves when nothing is left of what has ended, of one owner or at all. */
export async function untilGone(ending: EndingEntries, id?: string): Promise<void> {
  const mine = id === undefined ? allEnding(ending) : Array.from(ending.get(id) ?? []);
  await Promise.all(mine.flatMap(({ state }) => (state.name === "ending" ? [state.gone] : [])));
}

/** All that end. */
export function allEnding(ending: EndingEntries): readonly PoolEntry[] {
  return Array.from(ending.values()).flatMap((entries) => Array.from(entries));
}

/** Whether nobody uses it: it may make room. */
export function isIdle({ state, waiters, leases }: PoolEntry): boolean {
  return state.name === "ready" && waiters === 0 && leases === 0 && !state.provider.busy;
}
