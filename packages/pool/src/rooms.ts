import { createLedger, minus, plus, type Amounts } from "./amounts.ts";

/** What is taken of the bounds, and what will come free. */
export interface Rooms {
  /** What is left of the bounds, as they hold for this principal; with what will come free. */
  readonly left: (principal: string | undefined) => Left;
  readonly limits: Amounts;
  take(amounts: Amounts, principal: string | undefined): void;
  /** Says that something will come free; who waits counts on it. */
  promise(amounts: Amounts, principal: string | undefined): PromisedRoom;
}

/** Now, and later. May be below 0. */
export interface Left {
  readonly now: Amounts;
  readonly later: Amounts;
}

/** What will come free. Only the first of all calls of the two does something. */
export interface PromisedRoom {
  readonly giveBack: () => void;
  /** It stays taken; `false`: it was given back. */
  readonly keep: () => boolean;
}

/** With nothing taken. `onFree` is called when something is given back. */
export function createRooms(limits: Amounts, onFree: () => void): Rooms {
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
