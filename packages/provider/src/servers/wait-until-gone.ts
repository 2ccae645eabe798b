import { defaultTimeouts, type Clock } from "@toolport/core";
import { longestCloseMs, settleWithin } from "../settle-within.ts";
import type { Registration } from "./registration.ts";

/** Registrations that have ended, while something of their sessions is left. */
export interface Departures {
  /** Settles when nothing of the latest one under this id is left; `undefined` when nothing is. Never rejects. */
  of(id: string): Promise<void> | undefined;
  add(registration: Registration): Promise<void>;
  /** Settles when nothing is left of the sessions that a registration has now. Never rejects. */
  left(registration: Registration): Promise<void>;
  /** Settles when nothing of any is left. Never rejects. */
  all(): Promise<void>;
}

/** Makes an empty list. Nothing is waited for any longer than `timeouts.closeMs` of its server allow. */
export function createDepartures(clock: Clock): Departures {
  const leaving = new Map<string, Promise<void>>();
  const left = ({ link }: Registration): Promise<void> => {
    const timeoutMs = longestCloseMs(link.spec.timeouts?.closeMs ?? defaultTimeouts.closeMs);
    return settleWithin(link.gone(), timeoutMs, clock);
  };
  return {
    of: (id) => leaving.get(id),
    left,
    add(registration) {
      const { id } = registration;
      const departure = left(registration);
      leaving.set(id, departure);
      return departure.finally(() => {
        if (leaving.get(id) === departure) leaving.delete(id);
      });
    },
    async all() {
      await Promise.all(leaving.values());
    },
  };
}
