import { isHostsideError } from "@hostside/core";
import { compareText } from "@hostside/core/implement";
import type { ReadCache } from "./read-cache.ts";

/** Counters of one server, since it was registered. */
export interface ServerStats {
  readonly serverId: string;
  /** Reads that were answered from the cache. */
  readonly cacheHits: number;
  /** Reads that were looked for in the cache and not found. */
  readonly cacheMisses: number;
  /** URIs that were refused because of `allowedUris`. */
  readonly refusedUris: number;
}

/** What was counted. */
export interface ResourceStats {
  /** Of the servers that there was something to count of, sorted by id. */
  readonly servers: readonly ServerStats[];
  /** Reads in the cache now. */
  readonly cacheEntries: number;
  /** What they take. */
  readonly cacheBytes: number;
}

/** Counts. */
export interface ReadStats {
  countCached(serverId: string, isHit: boolean): void;
  /** Counts what `check` throws with `not_allowed`, and throws it. */
  countRefusals(serverId: string, check: () => void): void;
  /** Forgets a server that is gone, so that what is counted is bounded. */
  removed(serverId: string): void;
  readonly read: () => ResourceStats;
}

/** Makes one. */
export function createReadStats(cache: Pick<ReadCache, "entries" | "bytes">): ReadStats {
  const servers = new Map<string, ServerStats>();
  const add = (serverId: string, counter: Exclude<keyof ServerStats, "serverId">): void => {
    const counted = servers.get(serverId) ?? { serverId, cacheHits: 0, cacheMisses: 0, refusedUris: 0 };
    servers.set(serverId, { ...counted, [counter]: counted[counter] + 1 });
  };
  return {
    countCached: (serverId, isHit) => add(serverId, isHit ? "cacheHits" : "cacheMisses"),
    countRefusals(serverId, check) {
      try {
        check();
      } catch (error) {
        if (isHostsideError(error, "not_allowed")) add(serverId, "refusedUris");
        throw error;
      }
    },
    removed: (serverId) => void servers.delete(serverId),
    read: () => ({
      servers: Array.from(servers.values()).toSorted((a, b) => compareText(a.serverId, b.serverId)),
      cacheEntries: cache.entries,
      cacheBytes: cache.bytes,
    }),
  };
}
