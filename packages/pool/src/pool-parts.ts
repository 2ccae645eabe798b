import type { EventSource } from "@toolport/core/implement";
import type { EndingEntries, Entry, ServerConfig } from "./entry.ts";
import type { PoolSettings } from "./pool-options.ts";
import type { PoolEvent } from "./provider-pool.ts";

/** What the parts of a pool share. */
export interface PoolParts {
  readonly settings: PoolSettings;
  /** By key: those that are made, or ready. */
  readonly entries: Map<string, Entry>;
  readonly ending: EndingEntries;
  /** Every provider that the pool has or had: the end of one key must not be that of another. */
  readonly owned: WeakSet<object>;
  readonly events: EventSource<PoolEvent>;
  /** What providers are to have. */
  readonly config: () => ServerConfig;
}
