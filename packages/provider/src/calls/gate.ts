/** Lets calls of one server through: together, or one at a time. */
export interface Gate {
  /** How many are through. */
  readonly active: number;
  /** Goes through at once if that is allowed now and nobody waits. */
  tryEnter(mode: GateMode): boolean;
  /** Waits for its turn, in order of arrival. Rejects with the signal's reason when that aborts first. */
  enter(mode: GateMode, signal: AbortSignal): Promise<void>;
  leave(mode: GateMode): void;
  /** Turns away all who wait. */
  rejectAll(error: unknown): void;
}

/** `shared` calls go together; an `exclusive` one goes alone. */
export type GateMode = "shared" | "exclusive";

interface Entry {
  readonly mode: GateMode;
  readonly go: () => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * Makes an empty gate. `limit` says how many may be through together; it is asked each time, because a spec can change. Strictly
 * first come, first served: an exclusive call that waits holds up the shared ones behind it, so that it cannot starve.
 */
export function createGate(limit: () => number): Gate {
  const queue = new Set<Entry>();
  let active = 0;
  let exclusive = false;

  const isFree = (mode: GateMode): boolean => (mode === "shared" ? !exclusive && active < limit() : active === 0);
  const admit = (mode: GateMode): void => {
    active += 1;
    exclusive = mode === "exclusive";
  };
  const admitNext = (): void => {
    for (const entry of queue) {
      if (!isFree(entry.mode)) return;
      admit(entry.mode);
      entry.go();
    }
  };
  return {
    get active() {
      return active;
    },
    tryEnter(mode) {
      if (queue.size > 0 || !isFree(mode)) return false;
      admit(mode);
      return true;
    },
    enter(mode, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const leave = (): void => {
          entry.refuse(signal.reason);
          // Whoever stood behind may fit where this one did not.
          admitNext();
        };
        const settled = (): void => {
          queue.delete(entry);
          signal.removeEventListener("abort", leave);
        };
        const entry: Entry = {
          mode,
          go() {
            settled();
            resolve();
          },
          refuse(reason) {
            settled();
            reject(reason);
          },
        };
        signal.addEventListener("abort", leave);
        queue.add(entry);
        admitNext();
      });
    },
    leave(mode) {
      active -= 1;
      if (mode === "exclusive") exclusive = false;
      if (queue.size > 0) admitNext();
    },
    rejectAll(error) {
      for (const entry of queue) entry.refuse(error);
    },
  };
}
