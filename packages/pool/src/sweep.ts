import type { Endings } from "./end-entry.ts";
import type { Entry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";

/** Ends what nobody uses. */
export interface Sweep {
  /** Looks for such from now on, as long as there is anything. */
  readonly arm: () => void;
  readonly stop: () => void;
  /** Ends the one that was not used for the longest time; `false` when all are in use. */
  readonly displaceOne: () => boolean;
}

/** Looks for providers that nobody uses, now and then. */
export function createSweep({ settings, entries }: PoolParts, endings: Endings): Sweep {
  const { clock, ttlMs, sweepMs } = settings;
  let cancel: (() => void) | undefined;
  const arm = (): void => {
    if (cancel !== undefined || entries.size === 0) return;
    cancel = clock.schedule(sweepMs, () => {
      cancel = undefined;
      reap();
      arm();
    });
  };
  const reap = (): void => {
    const now = clock.now();
    for (const entry of Array.from(entries.values())) {
      if (now - entry.usedAt < ttlMs) continue;
      // What is in use now was used now.
      if (!isIdle(entry)) entry.usedAt = now;
      else void endings.end(entry, { why: "idle", reason: "reap", drainMs: 0 });
    }
  };
  return {
    arm,
    stop() {
      cancel?.();
      cancel = undefined;
    },
    displaceOne() {
      let oldest: Entry | undefined;
      for (const entry of entries.values()) {
        if ((oldest === undefined || entry.usedAt < oldest.usedAt) && isIdle(entry)) oldest = entry;
      }
      if (oldest === undefined) return false;
      void endings.end(oldest, { why: "displaced", reason: "displaced", drainMs: 0 });
      return true;
    },
  };
}

function isIdle({ state, waiters, leases }: Entry): boolean {
  return state.name === "ready" && waiters === 0 && leases === 0 && !state.provider.busy;
}
