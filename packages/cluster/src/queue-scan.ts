import { createLedger, isNone, lackOf, minus, none, plus, type Capacity } from "./capacity.ts";
import { chooseDisplaced } from "./choose-displaced.ts";
import type { PoolEntry } from "./entry.ts";
import type { CapacityTracker } from "./capacity-tracker.ts";
import type { CapacityNeed, LeaseRequest } from "./lease-request.ts";

/** One look at all who wait, from the first to the last. */
export interface QueueScan {
  /** Whether there is what a request needs, beside what those before it count on. */
  fits(request: LeaseRequest): boolean;
  /**
   * Counts what a request needs as promised to it, and has others make room. What it lacks all the
   * same: none, when it is sure.
   */
  reserve(request: LeaseRequest): Capacity;
}

/** What decides about places. */
export interface QueueScanRules {
  /** The owners for whom a request needs something, and how much for each. */
  readonly needs: (request: LeaseRequest) => readonly CapacityNeed[];
  /** Those that may make room, the one that was not used for the longest time first. */
  readonly idle: () => readonly PoolEntry[];
  /** Ends one that is not in use, which promises its places. */
  readonly displace: (entry: PoolEntry) => void;
}

/** Before the first. */
export function createQueueScan(rules: QueueScanRules, capacity: CapacityTracker): QueueScan {
  const reserved = createLedger();
  // Owners that those before wait for, and what they lack: nobody waits for the same one twice.
  const awaited = new Map<string, Capacity>();
  // Owners that those before are sure to have: nobody is displaced on whom they count.
  const counted = new Set<string>();
  let idle: readonly PoolEntry[] | undefined;
  const choose = (amounts: Capacity, { owners, principal }: LeaseRequest): readonly PoolEntry[] | undefined => {
    idle ??= rules.idle();
    const wanted = new Set(owners.map(({ id }) => id));
    return chooseDisplaced(
      { amounts, principal },
      idle.filter(({ owner }) => !wanted.has(owner.id) && !counted.has(owner.id)),
    );
  };
  const makeRoom = (lack: Capacity, request: LeaseRequest): boolean => {
    const chosen = choose(lack, request);
    if (chosen === undefined) return false;
    idle = idle?.filter((entry) => !chosen.includes(entry));
    for (const entry of chosen) rules.displace(entry);
    return true;
  };
  return {
    fits(request) {
      const needs = rules.needs(request);
      if (needs.some(({ id }) => awaited.has(id))) return false;
      return isNone(lackOf(sumOf(needs), minus(capacity.left(request.principal).now, reserved.for(request.principal))));
    },
    reserve(request) {
      const needs = rules.needs(request);
      const need = sumOf(needs.filter(({ id }) => !awaited.has(id)));
      const hindered = needs.map(({ id }) => awaited.get(id) ?? none).find((lack) => !isNone(lack));
      let lack = lackOf(need, minus(capacity.left(request.principal).later, reserved.for(request.principal)));
      if (hindered === undefined && !isNone(lack) && makeRoom(lack, request)) lack = none;
      const lacks = hindered ?? lack;
      if (isNone(lacks)) for (const { id } of request.owners) counted.add(id);
      for (const { id } of needs) if (!awaited.has(id)) awaited.set(id, lacks);
      // Whoever waits for what is its own keeps nothing from others.
      const isHeldByOwn = lack.maxPerPrincipal > 0 && choose(ownOf(lack), request) === undefined;
      reserved.add(isHeldByOwn ? ownOf(need) : need, request.principal);
      return lacks;
    },
  };
}

/** All that is needed. */
export function sumOf(needs: readonly CapacityNeed[]): Capacity {
  return needs.reduce((sum, { amounts }) => plus(sum, amounts), none);
}

function ownOf({ maxPerPrincipal }: Capacity): Capacity {
  return { ...none, maxPerPrincipal };
}
