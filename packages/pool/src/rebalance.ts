import { settleWithin } from "@hostside/core/implement";
import type { DrainingServers } from "./draining-servers.ts";
import { longestProviderCloseMs } from "./end-entry.ts";
import { allEnding, type PoolEntry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import { stayingOf } from "./staying-servers.ts";
import type { GiveServers } from "./update-entry.ts";

/** What servers that go over to providers of another kind are taken with. */
export interface RebalanceInit {
  readonly parts: PoolParts;
  readonly draining: DrainingServers;
  readonly give: GiveServers;
}

/**
 * Takes what has moved from all providers that have it, at once: new calls do not see it any more,
 * and calls under way may finish within `drainMs`.
 */
export function rebalance({ parts, draining, give }: RebalanceInit): void {
  const { settings, entries, ending, hasMoved } = parts;
  const takeFrom = async (entry: PoolEntry): Promise<void> => {
    if (entry.state.name === "creating") await entry.state.over;
    const config = stayingOf(entry.config, entry.owner, parts);
    if (config !== entry.config) await give(entry, config);
    if (entry.state.name === "ending") await entry.state.gone;
  };
  for (const entry of [...entries.values(), ...allEnding(ending)]) {
    const { state, config, owner } = entry;
    // It is made with what stays.
    if (state.name === "creating" && state.progress !== "under-way") continue;
    const ids = new Set(config.servers.flatMap(({ id }) => (hasMoved(id, owner) ? [id] : [])));
    if (ids.size === 0) continue;
    const longestMs = settings.makeMs + settings.drainMs + 2 * longestProviderCloseMs;
    draining.note(owner, ids, settleWithin(takeFrom(entry), longestMs, settings.clock));
  }
}
