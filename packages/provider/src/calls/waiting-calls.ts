import { createLazyMap } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";
import { createLinkedQueue, type LinkedQueue } from "./linked-queue.ts";

/**
 * The calls of one server that wait, for its session, for a listing or for their turn: whose they
 * are, and how many.
 */
export interface WaitingCalls {
  /**
   * Lets somebody wait; the returned function takes them out. `dismiss` is called when somebody
   * else gets the place, and they are out by then.
   */
  add(fairnessKey: string | undefined, dismiss: (crowd: QueueLoad) => void): Cancel;
  /**
   * Dismisses the newest of the caller with most who wait, if this one has fewer. Returns whether
   * there is a place now.
   */
  evictFor(fairnessKey: string | undefined): boolean;
}

/** How many wait, for an error. */
export interface QueueLoad {
  readonly waiting: number;
  /** Of the same caller. */
  readonly own: number;
}

interface Waiter {
  readonly dismiss: (crowd: QueueLoad) => void;
  readonly leave: Cancel;
}

interface Caller {
  readonly name: string | undefined;
  readonly queue: LinkedQueue<Waiter>;
}

/** Makes an empty one. Every step costs the same, however many wait. */
export function createWaitingCalls(): WaitingCalls {
  const callers = createLazyMap<string | undefined, Caller>();
  /** Those of whom so many wait. */
  const bySize = createLazyMap<number, Set<Caller>>();
  let largest = 0;
  let waiting = 0;

  const move = (caller: Caller, from: number): void => {
    const to = caller.queue.size;
    const before = bySize.get(from);
    before?.delete(caller);
    if (before?.size === 0) bySize.delete(from);
    if (to > 0) {
      const others = bySize.get(to) ?? new Set();
      bySize.set(to, others.add(caller));
    } else callers.delete(caller.name);
    // By one at a time, so that whoever was the largest is beside it.
    if (to > largest || !bySize.has(largest)) largest = to;
  };
  return {
    add(name, dismiss) {
      let caller = callers.get(name);
      if (caller === undefined) {
        caller = { name, queue: createLinkedQueue() };
        callers.set(name, caller);
      }
      const mine = caller;
      let isIn = true;
      const waiter: Waiter = {
        dismiss,
        leave() {
          if (!isIn) return;
          isIn = false;
          leaveQueue();
          waiting -= 1;
          move(mine, mine.queue.size + 1);
        },
      };
      const leaveQueue = mine.queue.add(waiter);
      waiting += 1;
      move(mine, mine.queue.size - 1);
      return waiter.leave;
    },
    evictFor(name) {
      const [most] = bySize.get(largest) ?? [];
      const newest = most?.queue.last;
      if (newest === undefined || (callers.get(name)?.queue.size ?? 0) >= largest) return false;
      const crowd = { waiting, own: largest };
      newest.leave();
      newest.dismiss(crowd);
      return true;
    },
  };
}
