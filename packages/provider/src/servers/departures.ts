import { defaultTimeouts, type Clock } from "@toolport/core";
import type { Registration } from "./registration.ts";

/** Registrations that have ended, while something of their sessions is left. */
export interface Departures {
  /** Settles when nothing of the latest one under this id is left; `undefined` when nothing is. Never rejects. */
  of(id: string): Promise<void> | undefined;
  add(registration: Registration): Promise<void>;
  /** Settles when nothing of any is left. Never rejects. */
  all(): Promise<void>;
}

// A connection closes within three steps of `closeMs`; twice that is for one that breaks its word.
const closeSteps = 6;

/** Makes an empty list. Each entry is waited for no longer than its `timeouts.closeMs` allow. */
export function createDepartures(clock: Clock): Departures {
  const leaving = new Map<string, Promise<void>>();
  return {
    of: (id) => leaving.get(id),
    add({ id, link }) {
      const timeoutMs = closeSteps * (link.spec.timeouts?.closeMs ?? defaultTimeouts.closeMs);
      const left = settleWithin(link.gone(), timeoutMs, clock);
      leaving.set(id, left);
      return left.finally(() => {
        if (leaving.get(id) === left) leaving.delete(id);
      });
    },
    async all() {
      await Promise.all(leaving.values());
    },
  };
}

function settleWithin(work: Promise<void>, timeoutMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(timeoutMs, resolve);
    void work.finally(() => {
      cancel();
      resolve();
    });
  });
}
