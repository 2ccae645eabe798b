import { HostsideError } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { excess, isNone } from "./capacity.ts";
import { closeWithin, type Endings } from "./end-entry.ts";
import type { DrainingServers } from "./draining-servers.ts";
import { untilGone, type PoolEntry, type Owner } from "./entry.ts";
import { makeProvider } from "./make-provider.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { CapacityTracker } from "./capacity-tracker.ts";
import { configOf, type ServerConfig } from "./server-config.ts";

/** How providers come to be. */
export interface Creation {
  /** Begins to make the provider of an owner who has none, and takes its places. */
  begin(owner: Owner): PoolEntry;
  /** Says that one less waits for it. The last one who gives it up ends it. */
  leave(entry: PoolEntry): void;
}

/** What makes providers, and ends those that nobody waits for. */
export interface CreationParts extends PoolParts {
  readonly endings: Endings;
  readonly capacity: CapacityTracker;
  readonly draining: DrainingServers;
  readonly onReady: () => void;
}

/** Makes providers, one at a time for each owner. */
export function createCreation(parts: CreationParts): Creation {
  const { settings, entries, ending, tell, config, capacity, draining, endings } = parts;
  const { clock } = settings;

  const listen = (entry: PoolEntry, provider: McpProvider): void => {
    provider.onCallEnded(() => void (entry.usedAt = clock.now()));
    provider.onClosed(() => void endings.end(entry, { why: "closed", reason: "closed by its owner", drainMs: 0 }));
    // Its end may not be over: whoever refuses it waits for that.
    if (provider.closed) throw new TypeError("make() gave a provider that is closed");
  };
  const take = (entry: PoolEntry, next: ServerConfig): void => {
    const freed = capacity.promise(excess(entry.takes, next.takes), entry.owner.principal);
    entry.config = next;
    entry.takes = next.takes;
    freed.giveBack();
  };
  const bringUp = async (entry: PoolEntry, controller: AbortController, leave: Leave): Promise<McpProvider> => {
    const { owner } = entry;
    const { signal } = controller;
    // The one before may still have its processes, and another one a server that goes over to this.
    await untilAborted(untilGone(ending, owner.id), signal);
    for (;;) {
      const departed = draining.untilGone(entry.config, owner);
      if (departed === undefined) break;
      await untilAborted(departed, signal);
    }
    take(entry, latestOf(entry, parts));
    const isEmptied = entry.config.servers.length === 0 && !parts.hasEmpty;
    if (entry.state.name === "creating") entry.state.progress = isEmptied ? "emptied" : "under-way";
    if (isEmptied) throw emptiedError(owner.title);
    const making = makeProvider(entry, controller, parts);
    leave(making.over);
    const provider = await making.provider;
    try {
      signal.throwIfAborted();
      listen(entry, provider);
    } catch (error) {
      leave(closeWithin(provider, "nobody wants it any more", settings));
      throw error;
    }
    entry.state = { name: "ready", provider };
    entry.usedAt = clock.now();
    parts.onReady();
    tell(owner, { type: "created" });
    return provider;
  };
  return {
    begin(owner) {
      const controller = new AbortController();
      let left = Promise.resolve();
      // In a later turn, when there is an entry.
      const attempt = Promise.resolve().then(() => bringUp(entry, controller, (leftover) => void (left = leftover)));
      const over = attempt.then(
        () => undefined,
        () => left,
      );
      const now = clock.now();
      const wanted = config(owner);
      const entry: PoolEntry = {
        owner,
        state: { name: "creating", attempt, over, controller, progress: "waiting" },
        config: wanted,
        refused: undefined,
        takes: wanted.takes,
        leaving: new Set(),
        waiters: 0,
        leases: 0,
        usedAt: now,
        createdAt: now,
      };
      capacity.take(wanted.takes, owner.principal);
      entries.set(owner.id, entry);
      attempt.catch((error: unknown) => void endings.fail(entry, error));
      return entry;
    },
    leave(entry) {
      entry.waiters -= 1;
      if (entry.waiters === 0) void endings.fail(entry, unwantedError(entry.owner.title));
    },
  };
}

/**
 * The set that it is to have, if there is room for it and all of it is gone from elsewhere; else
 * what it was to have before and still is.
 */
function latestOf(
  { owner, takes, config: before }: PoolEntry,
  { config, draining }: Pick<CreationParts, "config" | "draining">,
): ServerConfig {
  const latest = config(owner);
  const isRoom = isNone(excess(latest.takes, takes)) && draining.untilGone(latest, owner) === undefined;
  if (isRoom) return latest;
  const ids = new Set(latest.servers.map(({ id }) => id));
  return configOf(
    before.servers.filter(({ id }) => ids.has(id)),
    owner.sharing === "shared",
  );
}

/** Says what is left to be waited for when an attempt fails. */
type Leave = (leftover: Promise<void>) => void;

function emptiedError(title: string): HostsideError {
  return new HostsideError(`the provider of ${title} was not made: it is to have no servers any more`, {
    code: "closed",
  });
}

/** `closed`, for whoever hears of what nobody waits for. */
export function unwantedError(title: string): HostsideError {
  return new HostsideError(`the provider of ${title} was given up: nobody waits for it any more`, { code: "closed" });
}
