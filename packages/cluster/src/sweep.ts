import type { Endings } from "./end-entry.ts";
import { isIdle, type PoolEntry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";

/** Ends what nobody uses. */
export interface Sweep {
  /** Looks for such from now on, as long as there is anything. */
  readonly arm: () => void;
  readonly stop: () => void;
  /** Those that nobody uses, the one that was not used for the longest time first. */
  readonly idle: () => readonly PoolEntry[];
}

// The end of one is a fraction of a millisecond; that of ten thousand at once would hold up every
// call for seconds.
const mostAtOnce = 100;
const pauseMs = 50;

/** Looks for providers that nobody uses, now and then. */
export function createSweep({ settings, entries }: PoolParts, endings: Endings): Sweep {
  const { clock, ttlMs, sweepMs } = settings;
  let cancel: (() => void) | undefined;
  const armIn = (delayMs: number): void => {
    if (cancel !== undefined || entries.size === 0) return;
    cancel = clock.schedule(delayMs, () => {
      cancel = undefined;
      armIn(reap() ? pauseMs : sweepMs);
    });
  };
  /** Whether some are left that should end. */
  const reap = (): boolean => {
    const now = clock.now();
    let ended = 0;
    for (const entry of Array.from(entries.values())) {
      // A clock that was put back would keep it for as long.
      if (entry.usedAt > now) entry.usedAt = now;
      if (now - entry.usedAt < ttlMs) continue;
      // What is in use now was used now.
      if (!isIdle(entry)) entry.usedAt = now;
      else if (ended === mostAtOnce) return true;
      else {
        void endings.end(entry, { why: "idle", reason: "reap", drainMs: 0 });
        ended += 1;
      }
    }
    return false;
  };
  return {
    arm: () => armIn(sweepMs),
    stop() {
      cancel?.();
      cancel = undefined;
    },
    idle: () =>
      Array.from(entries.values())
        .filter(isIdle)
        .sort((a, b) => a.usedAt - b.usedAt),
  };
}
