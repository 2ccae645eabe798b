import type { Cancel } from "@hostside/core";

/** Lets as many servers start at once as there is room for; the others wait, in order. */
export interface StartQueue {
  /** A place, if there is one free. */
  takeFree(): StartPlace | undefined;
  /**
   * Resolves with a place, which has to be left. `onWait` is called if there is none free. Rejects
   * with the signal's reason when that aborts first; an aborted one is not asked again.
   */
  enter(signal: AbortSignal, onWait: () => void): Promise<StartPlace>;
}

/** A server's permission to start. */
export interface StartPlace {
  /** Gives the place to the next. Idempotent. */
  readonly leave: Cancel;
}

/** Makes an empty queue with `places` places, a positive integer. */
export function createStartQueue(places: number): StartQueue {
  const waiting = new Set<() => void>();
  let free = places;

  const take = (): StartPlace => {
    free -= 1;
    let isHeld = true;
    return {
      leave() {
        if (!isHeld) return;
        isHeld = false;
        free += 1;
        const [next] = waiting;
        next?.();
      },
    };
  };
  return {
    takeFree: () => (free > 0 ? take() : undefined),
    async enter(signal, onWait) {
      signal.throwIfAborted();
      if (free > 0) return take();
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          waiting.delete(go);
          signal.removeEventListener("abort", giveUp);
        };
        const go = (): void => {
          settle();
          resolve(take());
        };
        const giveUp = (): void => {
          settle();
          reject(signal.reason);
        };
        waiting.add(go);
        signal.addEventListener("abort", giveUp);
        onWait();
      });
    },
  };
}
