import { HostsideError } from "@hostside/core";
import { assertReason } from "@hostside/core/implement";
import { excess, isNone } from "./amounts.ts";
import { createCreation, type Creation } from "./create-entry.ts";
import { deferred } from "./deferred.ts";
import { createDepartures, type Departures } from "./departures.ts";
import { closeWithin, createEndings, type Endings } from "./end-entry.ts";
import { allEnding, untilGone, type Entry, type Owner } from "./entry.ts";
import { takeMoved } from "./move-servers.ts";
import { createObtaining, isWanted, type Obtaining } from "./obtain-provider.ts";
import type { PoolParts, PoolRules } from "./pool-parts.ts";
import type { CommonStatus } from "./provider-pool.ts";
import { createRooms } from "./rooms.ts";
import { createSlots, type SlotRules, type Slots } from "./slots.ts";
import { createSweep, type Sweep } from "./sweep.ts";
import { createUpdates, isOutdated, type GiveServers } from "./update-entry.ts";
import type { Need, Wish } from "./wish.ts";

/** What all kinds of pools are made of: who has a provider, how many there may be, and when one ends. */
export interface PoolCore extends Pick<Obtaining, "obtain"> {
  /** That of an owner if it is ready. Counts as use. */
  get(id: string): Entry | undefined;
  /** As long as what this returns was not called, they are neither reaped nor displaced. */
  hold(entries: readonly Entry[]): () => void;
  /** Ends that of the owner of an id, or those of some owners, and every wait for them. Resolves, when nothing is left of them, to whether there was any. */
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

/** Makes what a pool of any kind stands on. `onEnd` is called when nothing is left of a pool that was shut down. */
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
  const { slots, endings, sweep, give, departures, creation } = assemble(parts);
  const obtaining = createObtaining({ parts, creation, departures, slots, assertOpen });
  return {
    obtain: (wish, signal, take) => obtaining.obtain(wish, signal, take),
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
        slots.pump();
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
      slots.close();
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
    changed: () => takeMoved({ parts, departures, give }),
    statuses() {
      const there = [...entries.values(), ...allEnding(ending)].map((entry) => ({
        owner: entry.owner,
        status: statusOf(entry, parts),
      }));
      const waiting = new Map<string, OwnedStatus>();
      for (const { wish, since } of slots.waiting())
        for (const owner of wish.owners)
          if (!entries.has(owner.id) && isWanted(owner, parts))
            waiting.set(owner.id, waiting.get(owner.id) ?? { owner, status: waitingStatus(owner, since, parts) });
      return [...there, ...waiting.values()];
    },
  };
}

function idIf(isFor: (owner: Owner) => boolean): (entry: Entry) => readonly string[] {
  return ({ owner }) => (isFor(owner) ? [owner.id] : []);
}

interface Assembly {
  readonly slots: Slots;
  readonly sweep: Sweep;
  readonly give: GiveServers;
  readonly endings: Endings;
  readonly departures: Departures;
  readonly creation: Creation;
}

function assemble(parts: PoolParts): Assembly {
  const { entries, settings, config } = parts;
  const isDeparting = (owner: Owner): boolean => departures.untilGone(config(owner), owner) !== undefined;
  const needs = ({ owners }: Wish): readonly Need[] =>
    owners.flatMap((owner) => {
      const entry = entries.get(owner.id);
      const { takes } = config(owner);
      if (entry === undefined) return isWanted(owner, parts) ? [{ id: owner.id, amounts: takes }] : [];
      if (entry.state.name !== "ready" || !isOutdated(entry, parts) || isDeparting(owner)) return [];
      const amounts = excess(takes, entry.takes);
      return isNone(amounts) ? [] : [{ id: owner.id, amounts }];
    });
  const admit = ({ owners }: Wish): readonly Entry[] =>
    owners.flatMap((owner) => {
      const isNew = !entries.has(owner.id);
      if (isNew && !isWanted(owner, parts)) return [];
      const entry = entries.get(owner.id) ?? creation.begin(owner);
      if (!isNew && isOutdated(entry, parts) && !isDeparting(owner)) void give(entry, config(owner));
      if (!isWanted(owner, parts)) return [];
      entry.waiters += 1;
      return [entry];
    });
  const rooms = createRooms(settings.limits, () => slots.pump());
  const slotRules: SlotRules = {
    waitMs: settings.waitMs,
    clock: settings.clock,
    needs,
    admit,
    idle: () => sweep.idle(),
    displace: (entry) => void endings.end(entry, { why: "displaced", reason: "displaced", drainMs: 0 }),
  };
  const slots = createSlots(slotRules, rooms);
  const endings = createEndings(parts, rooms);
  const sweep = createSweep(parts, endings);
  const departures = createDepartures();
  const give = createUpdates({ parts, rooms, departures, endings });
  const creation = createCreation({ ...parts, endings, rooms, departures, onReady: sweep.arm });
  return { slots, endings, sweep, give, departures, creation };
}

function statusOf({ owner, state, config, leases, takes, usedAt }: Entry, parts: PoolParts): CommonStatus {
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
