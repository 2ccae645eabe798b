import { createLedger, minus, plus, type Capacity } from "./capacity.ts";

/** What is taken of the bounds, and what will come free. */
export interface CapacityTracker {
  /** What is left of the bounds, as they hold for this principal; with what will come free. */
  readonly left: (principal: string | undefined) => RemainingCapacity;
  readonly limits: Capacity;
  take(amounts: Capacity, principal: string | undefined): void;
  /** Says that something will come free; who waits counts on it. */
  promise(amounts: Capacity, principal: string | undefined): ReservedCapacity;
}

/** Now, and later. May be below 0. */
export interface RemainingCapacity {
  readonly now: Capacity;
  readonly later: Capacity;
}

/** What will come free. Only the first of all calls of the two does something. */
export interface ReservedCapacity {
  readonly giveBack: () => void;
  /** It stays taken; `false`: it was given back. */
  readonly keep: () => boolean;
}

/** With nothing taken. `onFree` is called when something is given back. */
export function createCapacityTracker(limits: Capacity, onFree: () => void): CapacityTracker {
  const taken = createLedger();
  const coming = createLedger();
  return {
    limits,
    left(principal) {
      const now = minus(limits, taken.for(principal));
      return { now, later: plus(now, coming.for(principal)) };
    },
    take: (amounts, principal) => taken.add(amounts, principal),
    promise(amounts, principal) {
      coming.add(amounts, principal);
      let isComing = true;
      const keep = (): boolean => {
        if (!isComing) return false;
        isComing = false;
        coming.remove(amounts, principal);
        return true;
      };
      return {
        keep,
        giveBack() {
          if (!keep()) return;
          taken.remove(amounts, principal);
          onFree();
        },
      };
    },
  };
}
