import { clock } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";

/** Something that holds a connection. */
interface Held {
  cancel(): void;
}

/** Gives up what holds a connection for longer than it should. */
export interface LingerWatch {
  /**
   * Cancels `held` after `lingerMs` to twice as much, unless the returned function is called
   * before.
   */
  add(held: Held): Cancel;
  /** Forgets everything, and the timer with it. */
  close(): void;
}

/**
 * Makes a watch. It has one timer for everything, because one for each would be felt: nearly all of
 * them are in vain.
 */
export function createLingerWatch(lingerMs: number): LingerWatch {
  let fresh = new Set<Held>();
  let stale = new Set<Held>();
  let cancelTimer: Cancel | undefined;

  const sweep = (): void => {
    for (const held of stale) held.cancel();
    stale = fresh;
    fresh = new Set();
    cancelTimer = stale.size > 0 ? clock.schedule(lingerMs, sweep) : undefined;
  };
  return {
    add(held) {
      const own = fresh;
      own.add(held);
      cancelTimer ??= clock.schedule(lingerMs, sweep);
      return () => void own.delete(held);
    },
    close() {
      cancelTimer?.();
      fresh = stale = new Set();
    },
  };
}
