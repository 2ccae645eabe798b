import type { Cancel, Clock } from "@hostside/core";
import { isNone, lackOf, type Amounts } from "./amounts.ts";
import type { Entry } from "./entry.ts";
import { fullError } from "./room-errors.ts";
import type { Rooms } from "./rooms.ts";
import { createQueue, sumOf, type QueueRules } from "./slot-queue.ts";
import { createTurns } from "./turns.ts";
import type { Wish } from "./wish.ts";

/** Places for providers: so many at a time, the others wait in turn. */
export interface Slots {
  /** Those of a wish, if it needs nothing more than there is, and nobody waits who comes first. */
  enter(wish: Wish): readonly Entry[] | undefined;
  /** The same as soon as there is room. Rejects with `overloaded` when there is none in time, and with the reason of the signal. */
  wait(wish: Wish, signal: AbortSignal): Promise<readonly Entry[]>;
  /** Has those that are no longer in use make room, for as many as wait for it: soon, and once for all that happens in one turn. */
  pump(): void;
  /** Lets nobody in any more. */
  close(): void;
  /** Those who wait, and since when. */
  waiting(): readonly { readonly wish: Wish; readonly since: number }[];
}

/** What decides about places. */
export interface SlotRules extends QueueRules {
  readonly waitMs: number;
  readonly clock: Clock;
  /** Gives a wish what it needs. */
  readonly admit: (wish: Wish) => readonly Entry[];
}

interface Waiter {
  readonly wish: Wish;
  readonly since: number;
  readonly admit: () => void;
  readonly refuse: (lacks: Amounts) => void;
  /** It waits no longer than for what it is sure of. */
  isOverdue: boolean;
}

// How often it is looked whether one is still in use while somebody waits for a place: nobody tells when the last of its work has ended.
const lookMs = 50;

/** Hands out places. */
export function createSlots(rules: SlotRules, rooms: Rooms): Slots {
  const { waitMs, clock } = rules;
  const turns = createTurns<Waiter>();
  let cancelLook: Cancel | undefined;
  let isOpen = true;
  let isDue = false;
  // In the order of their turns; what the one counts on is not there for those after it.
  const pass = (): void => {
    isDue = false;
    if (!isOpen) return;
    const queue = createQueue(rules, rooms);
    for (const waiter of turns.order()) {
      if (!turns.has(waiter)) continue;
      const lacks = queue.fits(waiter.wish) ? undefined : queue.reserve(waiter.wish);
      if (lacks === undefined) waiter.admit();
      else if (waiter.isOverdue && !isNone(lacks)) waiter.refuse(lacks);
    }
  };
  // Who asks in the same turn for what is there still finds it.
  const pump = (): void => {
    if (isDue) return;
    isDue = true;
    void Promise.resolve().then(pass);
  };
  const look = (): void => {
    cancelLook = clock.schedule(lookMs, look);
    pump();
  };
  const leave = (waiter: Waiter, wasServed: boolean): void => {
    turns.remove(waiter, waiter.wish.principal, wasServed);
    pump();
    if (turns.size > 0) return;
    cancelLook?.();
    cancelLook = undefined;
  };
  const wait = (wish: Wish, signal: AbortSignal): Promise<readonly Entry[]> =>
    new Promise((resolve, reject) => {
      const settle = (wasServed: boolean): void => {
        leave(waiter, wasServed);
        cancel();
        signal.removeEventListener("abort", onAbort);
      };
      const onAbort = (): void => {
        settle(false);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        wish,
        since: clock.now(),
        isOverdue: waitMs === 0,
        admit() {
          settle(true);
          resolve(rules.admit(wish));
        },
        refuse(lacks) {
          settle(false);
          reject(fullError({ wish, lacks, waitMs }, rooms));
        },
      };
      const cancel = clock.schedule(waitMs, () => {
        waiter.isOverdue = true;
        pump();
      });
      signal.addEventListener("abort", onAbort, { once: true });
      turns.add(waiter, wish.principal);
      cancelLook ??= clock.schedule(lookMs, look);
      pump();
    });
  return {
    enter(wish) {
      const need = sumOf(rules.needs(wish));
      if (isNone(need)) return rules.admit(wish);
      const isRoom = turns.size === 0 && isNone(lackOf(need, rooms.left(wish.principal).now));
      return isRoom ? rules.admit(wish) : undefined;
    },
    wait,
    pump,
    close: () => void (isOpen = false),
    waiting: () => turns.order(),
  };
}
