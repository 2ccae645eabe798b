import type { Cancel, Clock } from "@hostside/core";
import { isNone, lackOf, type Capacity } from "./capacity.ts";
import type { PoolEntry } from "./entry.ts";
import { fullError } from "./capacity-errors.ts";
import type { CapacityTracker } from "./capacity-tracker.ts";
import { createQueueScan, sumOf, type QueueScanRules } from "./queue-scan.ts";
import { createFairQueue } from "./fair-queue.ts";
import type { LeaseRequest } from "./lease-request.ts";

/** Places for providers: so many at a time, the others wait in turn. */
export interface WaitQueue {
  /**
   * Those of a request, if it needs nothing more than there is, and nobody waits who comes first.
   */
  enter(request: LeaseRequest): readonly PoolEntry[] | undefined;
  /**
   * The same as soon as there is room. Rejects with `overloaded` when there is none in time, and
   * with the reason of the signal.
   */
  wait(request: LeaseRequest, signal: AbortSignal): Promise<readonly PoolEntry[]>;
  /**
   * Has those that are no longer in use make room, for as many as wait for it: soon, and once for
   * all that happens in one turn.
   */
  pump(): void;
  /** Lets nobody in any more. */
  close(): void;
  /** Those who wait, and since when. */
  waiting(): readonly { readonly request: LeaseRequest; readonly since: number }[];
}

/** What decides about places. */
export interface WaitQueueRules extends QueueScanRules {
  readonly waitMs: number;
  readonly clock: Clock;
  /** Gives a request what it needs. */
  readonly admit: (request: LeaseRequest) => readonly PoolEntry[];
}

interface Waiter {
  readonly request: LeaseRequest;
  readonly since: number;
  readonly admit: () => void;
  readonly refuse: (lacks: Capacity) => void;
  /** It waits no longer than for what it is sure of. */
  isOverdue: boolean;
}

// How often it is looked whether one is still in use while somebody waits for a place: nobody tells
// when the last of its work has ended.
const lookMs = 50;

/** Hands out places. */
export function createWaitQueue(rules: WaitQueueRules, capacity: CapacityTracker): WaitQueue {
  const { waitMs, clock } = rules;
  const turns = createFairQueue<Waiter>();
  let cancelLook: Cancel | undefined;
  let isOpen = true;
  let isDue = false;
  // In the order of their turns; what the one counts on is not there for those after it.
  const pass = (): void => {
    isDue = false;
    if (!isOpen) return;
    const queue = createQueueScan(rules, capacity);
    for (const waiter of turns.order()) {
      if (!turns.has(waiter)) continue;
      const lacks = queue.fits(waiter.request) ? undefined : queue.reserve(waiter.request);
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
    turns.remove(waiter, waiter.request.principal, wasServed);
    pump();
    if (turns.size > 0) return;
    cancelLook?.();
    cancelLook = undefined;
  };
  const wait = (request: LeaseRequest, signal: AbortSignal): Promise<readonly PoolEntry[]> =>
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
        request,
        since: clock.now(),
        isOverdue: waitMs === 0,
        admit() {
          settle(true);
          resolve(rules.admit(request));
        },
        refuse(lacks) {
          settle(false);
          reject(fullError({ request, lacks, waitMs }, capacity));
        },
      };
      const cancel = clock.schedule(waitMs, () => {
        waiter.isOverdue = true;
        pump();
      });
      signal.addEventListener("abort", onAbort, { once: true });
      turns.add(waiter, request.principal);
      cancelLook ??= clock.schedule(lookMs, look);
      pump();
    });
  return {
    enter(request) {
      const need = sumOf(rules.needs(request));
      if (isNone(need)) return rules.admit(request);
      const isRoom = turns.size === 0 && isNone(lackOf(need, capacity.left(request.principal).now));
      return isRoom ? rules.admit(request) : undefined;
    },
    wait,
    pump,
    close: () => void (isOpen = false),
    waiting: () => turns.order(),
  };
}
