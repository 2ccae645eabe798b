import { HostsideError } from "@hostside/core";
import { assertReason, settleWithin } from "@hostside/core/implement";
import { excess, isNone } from "./capacity.ts";
import { createCreation, type Creation } from "./create-entry.ts";
import { deferred } from "./deferred.ts";
import { createDrainingServers, type DrainingServers } from "./draining-servers.ts";
import { closeWithin, createEndings, longestProviderCloseMs, type Endings } from "./end-entry.ts";
import { allEnding, untilGone, type PoolEntry, type Owner } from "./entry.ts";
import { createObtaining, isWanted, type Obtaining } from "./obtain-provider.ts";
import type { PoolParts, PoolRules } from "./pool-parts.ts";
import type { CommonStatus } from "./provider-pool.ts";
import { createCapacityTracker } from "./capacity-tracker.ts";
import { createWaitQueue, type WaitQueueRules, type WaitQueue } from "./wait-queue.ts";
import { createSweep, type Sweep } from "./sweep.ts";
import { createUpdates, isOutdated, type GiveServers } from "./update-entry.ts";
import type { CapacityNeed, LeaseRequest } from "./lease-request.ts";
import { stayingOf } from "./staying-servers.ts";

/**
 * What all kinds of pools are made of: who has a provider, how many there may be, and when one
 * ends.
 */
export interface PoolCore extends Pick<Obtaining, "obtain"> {
  /** That of an owner if it is ready. Counts as use. */
  get(id: string): PoolEntry | undefined;
  /** As long as what this returns was not called, they are neither reaped nor displaced. */
  hold(entries: readonly PoolEntry[]): () => void;
  /**
   * Ends that of the owner of an id, or those of some owners, and every wait for them. Resolves,
   * when nothing is left of them, to whether there was any.
   */
  dispose(whose: string | ((owner: Owner) => boolean), reason: string): Promise<boolean>;
  shutdownAll(reason: string): Promise<void>;
  /** Throws `closed` when the pool was shut down. */
  assertOpen(): void;
  /** To be called when the sets that providers are to have are others. */
  changed(): void;
  statuses(): readonly OwnedStatus[];
}

/** One provider, and whose it is. */
export interface OwnedStatus {
  readonly owner: Owner;
  readonly status: CommonStatus;
}

/**
 * Makes what a pool of any kind stands on. `onEnd` is called when nothing is left of a pool that
 * was shut down.
 */
export function createPoolCore(rules: PoolRules, onEnd: () => void): PoolCore {
  const { settings } = rules;
  const { clock, drainMs } = settings;
  const parts: PoolParts = { ...rules, entries: new Map(), ending: new Map(), owned: new WeakSet() };
  const { entries, ending } = parts;
  let shutDown: Promise<void> | undefined;
  let closedBecause = "";
  const assertOpen = (): void => {
    if (shutDown !== undefined) throw new HostsideError(`the pool was shut down: ${closedBecause}`, { code: "closed" });
  };
  const { waitQueue, endings, sweep, give, draining, creation } = assemble(parts);
  const obtaining = createObtaining({ parts, creation, draining, waitQueue, assertOpen });
  return {
    obtain: (request, signal, take) => obtaining.obtain(request, signal, take),
    get(id) {
      const entry = entries.get(id);
      if (entry?.state.name !== "ready") return undefined;
      entry.usedAt = clock.now();
      return entry;
    },
    hold(held) {
      let isHeld = true;
      for (const entry of held) entry.leases += 1;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        for (const entry of held) {
          entry.leases -= 1;
          entry.usedAt = clock.now();
        }
        waitQueue.pump();
      };
    },
    async dispose(whose, reason) {
      const isFor = typeof whose === "string" ? ({ id }: Owner) => id === whose : whose;
      const waiting = obtaining.waitingFor(isFor);
      const mine = typeof whose === "string" ? [entries.get(whose)] : Array.from(entries.values());
      const ended = mine.filter((entry) => entry !== undefined && isFor(entry.owner));
      for (const entry of ended) if (entry) void endings.end(entry, { why: "disposed", reason, drainMs });
      for (const { end } of waiting) end(reason);
      const left = typeof whose === "string" ? [whose] : allEnding(ending).flatMap(idIf(isFor));
      await Promise.all(left.map((id) => untilGone(ending, id)));
      return ended.length > 0 || waiting.length > 0;
    },
    shutdownAll(reason) {
      assertReason(reason);
      if (shutDown !== undefined) return shutDown;
      closedBecause = reason;
      // First of all it is known: what ends fires events, and who hears them may ask for more.
      const { promise, resolve } = deferred();
      shutDown = promise;
      sweep.stop();
      waitQueue.close();
      // What was disposed of may still have calls under way.
      for (const { state } of allEnding(ending))
        if (state.name === "ending" && state.provider !== undefined) void closeWithin(state.provider, reason, settings);
      for (const entry of Array.from(entries.values()))
        void endings.end(entry, { why: "shutdown", reason, drainMs: 0 });
      for (const { end } of obtaining.waitingFor(() => true)) end(reason);
      resolve(untilGone(ending).then(onEnd));
      return promise;
    },
    assertOpen,
    changed: () => rebalance({ parts, draining, give }),
    statuses() {
      const there = [...entries.values(), ...allEnding(ending)].map((entry) => ({
        owner: entry.owner,
        status: statusOf(entry, parts),
      }));
      const waiting = new Map<string, OwnedStatus>();
      for (const { request, since } of waitQueue.waiting())
        for (const owner of request.owners)
          if (!entries.has(owner.id) && isWanted(owner, parts))
            waiting.set(owner.id, waiting.get(owner.id) ?? { owner, status: waitingStatus(owner, since, parts) });
      return [...there, ...waiting.values()];
    },
  };
}

function idIf(isFor: (owner: Owner) => boolean): (entry: PoolEntry) => readonly string[] {
  return ({ owner }) => (isFor(owner) ? [owner.id] : []);
}

interface Assembly {
  readonly waitQueue: WaitQueue;
  readonly sweep: Sweep;
  readonly give: GiveServers;
  readonly endings: Endings;
  readonly draining: DrainingServers;
  readonly creation: Creation;
}

function assemble(parts: PoolParts): Assembly {
  const { entries, settings, config } = parts;
  const isDeparting = (owner: Owner): boolean => draining.untilGone(config(owner), owner) !== undefined;
  const needs = ({ owners }: LeaseRequest): readonly CapacityNeed[] =>
    owners.flatMap((owner) => {
      const entry = entries.get(owner.id);
      const { takes } = config(owner);
      if (entry === undefined) return isWanted(owner, parts) ? [{ id: owner.id, amounts: takes }] : [];
      if (entry.state.name !== "ready" || !isOutdated(entry, parts) || isDeparting(owner)) return [];
      const amounts = excess(takes, entry.takes);
      return isNone(amounts) ? [] : [{ id: owner.id, amounts }];
    });
  const admit = ({ owners }: LeaseRequest): readonly PoolEntry[] =>
    owners.flatMap((owner) => {
      const isNew = !entries.has(owner.id);
      if (isNew && !isWanted(owner, parts)) return [];
      const entry = entries.get(owner.id) ?? creation.begin(owner);
      if (!isNew && isOutdated(entry, parts) && !isDeparting(owner)) void give(entry, config(owner));
      if (!isWanted(owner, parts)) return [];
      entry.waiters += 1;
      return [entry];
    });
  const capacity = createCapacityTracker(settings.limits, () => waitQueue.pump());
  const slotRules: WaitQueueRules = {
    waitMs: settings.waitMs,
    clock: settings.clock,
    needs,
    admit,
    idle: () => sweep.idle(),
    displace: (entry) => void endings.end(entry, { why: "displaced", reason: "displaced", drainMs: 0 }),
  };
  const waitQueue = createWaitQueue(slotRules, capacity);
  const endings = createEndings(parts, capacity);
  const sweep = createSweep(parts, endings);
  const draining = createDrainingServers();
  const give = createUpdates({ parts, capacity, draining, endings });
  const creation = createCreation({ ...parts, endings, capacity, draining, onReady: sweep.arm });
  return { waitQueue, endings, sweep, give, draining, creation };
}

function statusOf({ owner, state, config, leases, takes, usedAt }: PoolEntry, parts: PoolParts): CommonStatus {
  return {
    state: state.name,
    fingerprint: config.fingerprint,
    outdated: config !== parts.config(owner),
    leases,
    busy: state.name !== "creating" && state.provider?.busy === true,
    idleMs: Math.max(0, parts.settings.clock.now() - usedAt),
    connections: takes.maxConnections,
    processes: takes.maxProcesses,
  };
}

/** Of one that has no place yet. */
function waitingStatus(owner: Owner, since: number, { config, settings }: PoolParts): CommonStatus {
  return {
    state: "creating",
    fingerprint: config(owner).fingerprint,
    outdated: false,
    leases: 0,
    busy: false,
    idleMs: Math.max(0, settings.clock.now() - since),
    connections: 0,
    processes: 0,
  };
}

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
function rebalance({ parts, draining, give }: RebalanceInit): void {
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
