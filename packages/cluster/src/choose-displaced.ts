import { boundNames, excess, isNone, minus, none, plus, type Capacity } from "./capacity.ts";
import type { PoolEntry } from "./entry.ts";

/** Who lacks what. */
export interface Lack {
  readonly amounts: Capacity;
  readonly principal: string | undefined;
}

/**
 * Whom to end so that nothing lacks any more: those that were not used for the longest time, and of
 * them only as many as needed. `undefined`: all of them would not do, and none is ended in vain.
 * `idle` are those that may be, the one that was not used for the longest time first.
 */
export function chooseDisplaced(lack: Lack, idle: readonly PoolEntry[]): readonly PoolEntry[] | undefined {
  const chosen: PoolEntry[] = [];
  let left = lack.amounts;
  for (const entry of idle) {
    if (isNone(left)) break;
    const rest = excess(left, givenBy(entry, lack));
    if (boundNames.every((name) => rest[name] === left[name])) continue;
    chosen.push(entry);
    left = rest;
  }
  return isNone(left) ? withoutSpare(lack, chosen) : undefined;
}

/** One that came later may give so much that one before it can stay. */
function withoutSpare(lack: Lack, chosen: readonly PoolEntry[]): readonly PoolEntry[] {
  let given = chosen.reduce((sum, entry) => plus(sum, givenBy(entry, lack)), none);
  return chosen.toReversed().filter((entry) => {
    const rest = minus(given, givenBy(entry, lack));
    if (!isNone(excess(lack.amounts, rest))) return true;
    given = rest;
    return false;
  });
}

/** What the end of one would give: of what a principal may have, only its own. */
function givenBy({ takes, owner }: PoolEntry, { principal }: Lack): Capacity {
  return owner.principal === principal ? takes : { ...takes, maxPerPrincipal: 0 };
}
