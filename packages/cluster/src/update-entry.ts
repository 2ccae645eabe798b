import { isHostsideError } from "@hostside/core";
import { sameJson } from "@hostside/core/implement";
import { excess, plus } from "./capacity.ts";
import type { DrainingServers } from "./draining-servers.ts";
import type { Endings } from "./end-entry.ts";
import type { PoolEntry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { ReservedCapacity, CapacityTracker } from "./capacity-tracker.ts";
import type { ServerConfig } from "./server-config.ts";
import { stayingOf } from "./staying-servers.ts";

/**
 * Gives a provider other servers. It has them when this returns; what has to start, starts, and
 * what goes gives its places back when it is gone. Resolves to whether it took them, never rejects.
 * Nothing for one that is not ready.
 */
export type GiveServers = (entry: PoolEntry, config: ServerConfig) => Promise<boolean>;

/** What providers get other servers with. */
export interface UpdateInit {
  readonly parts: PoolParts;
  readonly capacity: CapacityTracker;
  readonly draining: DrainingServers;
  readonly endings: Endings;
}

/** Says how providers get other servers. */
export function createUpdates({ parts, capacity, draining, endings }: UpdateInit): GiveServers {
  const { settings, tell } = parts;
  const { drainMs } = settings;
  const give: GiveServers = async (entry, wanted) => {
    if (entry.state.name !== "ready") return true;
    const { provider } = entry.state;
    const { config: before, owner } = entry;
    const freed = excess(entry.takes, wanted.takes);
    capacity.take(excess(wanted.takes, entry.takes), owner.principal);
    const leaving = capacity.promise(freed, owner.principal);
    entry.config = wanted;
    entry.takes = wanted.takes;
    if (sameJson(wanted.servers, before.servers)) {
      leaving.giveBack();
      return true;
    }
    entry.leaving.add(leaving);
    try {
      await provider.applyServers(wanted.servers, { drainMs, reason: "its configuration changed" });
      freeIfThere(entry, leaving);
      tell(owner, { type: "updated" });
      return true;
    } catch (error) {
      if (isHostsideError(error) && error.code === "closed") return true;
      // It may have been given the same once more meanwhile.
      const isLatest = sameJson(entry.config.servers, wanted.servers);
      entry.refused = isLatest ? entry.config : wanted;
      if (isLatest) {
        entry.config = before;
        // It still has what it had.
        if (!isEnding(entry) && leaving.keep()) {
          entry.takes = before.takes;
          capacity.promise(excess(plus(wanted.takes, freed), before.takes), owner.principal).giveBack();
        }
      }
      freeIfThere(entry, leaving);
      tell(owner, { type: "update-failed", error });
      // One that does not let go of a server that it may not have any more is ended.
      if (stayingOf(entry.config, owner, parts) !== entry.config)
        await endings.end(entry, { why: "disposed", reason: "a server could not be taken from it", drainMs: 0 });
      return false;
    }
  };
  return (entry, wanted) => {
    const stays = new Set(wanted.servers.map(({ id }) => id));
    const goes = new Set(entry.config.servers.flatMap(({ id }) => (stays.has(id) ? [] : [id])));
    const given = give(entry, wanted);
    const gone = given.then(() => (entry.state.name === "ending" ? entry.state.gone : undefined));
    draining.note(entry.owner, goes, gone);
    return given;
  };
}

/** What one that ends had more is free when nothing is left of it. */
function freeIfThere(entry: PoolEntry, leaving: ReservedCapacity): void {
  if (isEnding(entry)) return;
  leaving.giveBack();
  entry.leaving.delete(leaving);
}

function isEnding({ state }: PoolEntry): boolean {
  return state.name === "ending";
}

/** Whether a provider has another set than it is to have, unless it refused it. */
export function isOutdated({ config, refused, owner }: PoolEntry, parts: PoolParts): boolean {
  const wanted = parts.config(owner);
  return wanted !== config && wanted !== refused;
}
