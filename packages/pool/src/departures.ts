import type { Owner } from "./entry.ts";
import type { ServerConfig } from "./server-config.ts";

/** Servers on their way out of a provider. One that goes over to another provider is gone from the one before it comes in the other. */
export interface Departures {
  /** Says that these leave the provider of an owner; `gone` never rejects. */
  note(owner: Owner, ids: ReadonlySet<string>, gone: Promise<unknown>): void;
  /** When all of a set is gone from the providers of others; `undefined`: it is. Never rejects. */
  untilGone(config: ServerConfig, owner: Owner): Promise<unknown> | undefined;
}

interface Departure {
  readonly owner: Owner;
  readonly ids: ReadonlySet<string>;
  readonly gone: Promise<unknown>;
}

/** Without any. */
export function createDepartures(): Departures {
  const departures = new Set<Departure>();
  return {
    note(owner, ids, gone) {
      if (ids.size === 0) return;
      const departure: Departure = { owner, ids, gone };
      departures.add(departure);
      void gone.then(() => departures.delete(departure));
    },
    untilGone({ servers }, owner) {
      if (departures.size === 0) return undefined;
      const ahead = Array.from(departures).filter(
        (departure) => mayMeet(departure.owner, owner) && servers.some(({ id }) => departure.ids.has(id)),
      );
      return ahead.length === 0 ? undefined : Promise.all(ahead.map(({ gone }) => gone));
    },
  };
}

/** Whether some conversation may have both. What a provider lets go and gets again is its own matter. */
function mayMeet(a: Owner, b: Owner): boolean {
  if (a.sharing === b.sharing) return false;
  return a.sharing === "shared" || b.sharing === "shared" || a.principal === b.principal;
}
