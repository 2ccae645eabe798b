import { ToolportError, type Cancel, type Clock } from "@toolport/core";
import { formatMs, quoteText } from "@toolport/core/implement";

/** Places for providers: so many at a time, the others wait in the order in which they came. */
export interface Slots {
  /** Resolves when there is a place, which is then taken. Rejects with `overloaded` when there is none in time, and with the reason of the signal. */
  take(key: string, signal: AbortSignal): Promise<void>;
  /** Says that a place will come free; who waits counts on it. What it returns gives the place back, and is called once. */
  promise(): () => void;
  /** Has those that are no longer in use make room, for as many as wait for it. */
  pump(): void;
}

/** What decides about places. */
export interface SlotRules {
  readonly max: number;
  readonly waitMs: number;
  readonly clock: Clock;
  /** Ends one that is not in use, which promises its place; `false` when all are. */
  readonly makeRoom: () => boolean;
}

interface Waiter {
  readonly admit: () => void;
}

// How often it is looked whether one is still in use while somebody waits for a place: nobody tells when the last of its work has ended.
const lookMs = 50;

/** Hands out places. */
export function createSlots({ max, waitMs, clock, makeRoom }: SlotRules): Slots {
  const waiters = new Set<Waiter>();
  let taken = 0;
  let comingFree = 0;
  let cancelLook: Cancel | undefined;
  // What comes free belongs to those who came first.
  const isPromised = (ahead: number): boolean => {
    for (let short = ahead + 1 - comingFree; short > 0; short -= 1) if (!makeRoom()) return false;
    return true;
  };
  const pump = (): void => {
    if (waiters.size > 0) isPromised(waiters.size - 1);
  };
  const look = (): void => {
    cancelLook = clock.schedule(lookMs, look);
    pump();
  };
  const enter = (waiter: Waiter): void => {
    waiters.add(waiter);
    cancelLook ??= clock.schedule(lookMs, look);
  };
  const leave = (waiter: Waiter): void => {
    waiters.delete(waiter);
    if (waiters.size > 0) return;
    cancelLook?.();
    cancelLook = undefined;
  };
  return {
    async take(key, signal) {
      signal.throwIfAborted();
      if (taken < max) {
        taken += 1;
        return;
      }
      const isSure = isPromised(waiters.size);
      if (!isSure && waitMs === 0) throw fullError(key, max, waitMs);
      await new Promise<void>((resolve, reject) => {
        const settle = (act: () => void): void => {
          leave(waiter);
          cancel();
          signal.removeEventListener("abort", onAbort);
          act();
        };
        const onAbort = (): void => settle(() => reject(signal.reason as Error));
        const waiter: Waiter = {
          admit() {
            taken += 1;
            settle(resolve);
          },
        };
        const cancel = isSure
          ? (): void => undefined
          : clock.schedule(waitMs, () => {
              if (!isPromised(placeOf(waiter, waiters))) settle(() => reject(fullError(key, max, waitMs)));
            });
        signal.addEventListener("abort", onAbort, { once: true });
        enter(waiter);
      });
    },
    promise() {
      comingFree += 1;
      return () => {
        comingFree -= 1;
        taken -= 1;
        const [first] = waiters;
        first?.admit();
      };
    },
    pump,
  };
}

/** How many came before. When the time of one is up, those are left to whom a place is promised. */
function placeOf(waiter: Waiter, waiters: ReadonlySet<Waiter>): number {
  let ahead = 0;
  for (const other of waiters) {
    if (other === waiter) break;
    ahead += 1;
  }
  return ahead;
}

function fullError(key: string, max: number, waitMs: number): ToolportError {
  const waited = waitMs === 0 ? "" : `, also after ${formatMs(waitMs)}`;
  return new ToolportError(
    `no provider for key ${quoteText(key)}: all ${max} of the pool are in use${waited}; raise maxProviders, or give leases back`,
    { code: "overloaded" },
  );
}
