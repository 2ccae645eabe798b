import { createLedger, isNone, lackOf, minus, none, plus, type Amounts } from "./amounts.ts";
import { chooseDisplaced } from "./choose-displaced.ts";
import type { Entry } from "./entry.ts";
import type { Rooms } from "./rooms.ts";
import type { Need, Wish } from "./wish.ts";

/** One look at all who wait, from the first to the last. */
export interface Queue {
  /** Whether there is what a wish needs, beside what those before it count on. */
  fits(wish: Wish): boolean;
  /** Counts what a wish needs as promised to it, and has others make room. What it lacks all the same: none, when it is sure. */
  reserve(wish: Wish): Amounts;
}

/** What decides about places. */
export interface QueueRules {
  /** The owners for whom a wish needs something, and how much for each. */
  readonly needs: (wish: Wish) => readonly Need[];
  /** Those that may make room, the one that was not used for the longest time first. */
  readonly idle: () => readonly Entry[];
  /** Ends one that is not in use, which promises its places. */
  readonly displace: (entry: Entry) => void;
}

/** Before the first. */
export function createQueue(rules: QueueRules, rooms: Rooms): Queue {
  const reserved = createLedger();
  // Owners that those before wait for, and what they lack: nobody waits for the same one twice.
  const awaited = new Map<string, Amounts>();
  // Owners that those before are sure to have: nobody is displaced on whom they count.
  const counted = new Set<string>();
  let idle: readonly Entry[] | undefined;
  const choose = (amounts: Amounts, { owners, principal }: Wish): readonly Entry[] | undefined => {
    idle ??= rules.idle();
    const wanted = new Set(owners.map(({ id }) => id));
    return chooseDisplaced(
      { amounts, principal },
      idle.filter(({ owner }) => !wanted.has(owner.id) && !counted.has(owner.id)),
    );
  };
  const makeRoom = (lack: Amounts, wish: Wish): boolean => {
    const chosen = choose(lack, wish);
    if (chosen === undefined) return false;
    idle = idle?.filter((entry) => !chosen.includes(entry));
    for (const entry of chosen) rules.displace(entry);
    return true;
  };
  return {
    fits(wish) {
      const needs = rules.needs(wish);
      if (needs.some(({ id }) => awaited.has(id))) return false;
      return isNone(lackOf(sumOf(needs), minus(rooms.left(wish.principal).now, reserved.for(wish.principal))));
    },
    reserve(wish) {
      const needs = rules.needs(wish);
      const need = sumOf(needs.filter(({ id }) => !awaited.has(id)));
      const hindered = needs.map(({ id }) => awaited.get(id) ?? none).find((lack) => !isNone(lack));
      let lack = lackOf(need, minus(rooms.left(wish.principal).later, reserved.for(wish.principal)));
      if (hindered === undefined && !isNone(lack) && makeRoom(lack, wish)) lack = none;
      const lacks = hindered ?? lack;
      if (isNone(lacks)) for (const { id } of wish.owners) counted.add(id);
      for (const { id } of needs) if (!awaited.has(id)) awaited.set(id, lacks);
      // Whoever waits for what is its own keeps nothing from others.
      const isHeldByOwn = lack.maxPerPrincipal > 0 && choose(ownOf(lack), wish) === undefined;
      reserved.add(isHeldByOwn ? ownOf(need) : need, wish.principal);
      return lacks;
    },
  };
}

/** All that is needed. */
export function sumOf(needs: readonly Need[]): Amounts {
  return needs.reduce((sum, { amounts }) => plus(sum, amounts), none);
}

function ownOf({ maxPerPrincipal }: Amounts): Amounts {
  return { ...none, maxPerPrincipal };
}
