import type { Owner } from "./entry.ts";
import type { ServerConfig } from "./server-config.ts";

/**
 * Servers on their way out of a provider. One that goes over to another provider is gone from the
 * one before it comes in the other.
 */
export interface DrainingServers {
  /** Says that these leave the provider of an owner; `gone` never rejects. */
  note(owner: Owner, ids: ReadonlySet<string>, gone: Promise<unknown>): void;
  /** When all of a set is gone from the providers of others; `undefined`: it is. Never rejects. */
  untilGone(config: ServerConfig, owner: Owner): Promise<unknown> | undefined;
}

interface DrainingServer {
  readonly owner: Owner;
  readonly ids: ReadonlySet<string>;
  readonly gone: Promise<unknown>;
}

/** Without any. */
export function createDrainingServers(): DrainingServers {
  const draining = new Set<DrainingServer>();
  return {
    note(owner, ids, gone) {
      if (ids.size === 0) return;
      const one: DrainingServer = { owner, ids, gone };
      draining.add(one);
      void gone.then(() => draining.delete(one));
    },
    untilGone({ servers }, owner) {
      if (draining.size === 0) return undefined;
      const ahead = Array.from(draining).filter(
        (one) => mayMeet(one.owner, owner) && servers.some(({ id }) => one.ids.has(id)),
      );
      return ahead.length === 0 ? undefined : Promise.all(ahead.map(({ gone }) => gone));
    },
  };
}

/**
 * Whether some conversation may have both. What a provider lets go and gets again is its own
 * matter.
 */
function mayMeet(a: Owner, b: Owner): boolean {
  if (a.sharing === b.sharing) return false;
  return a.sharing === "shared" || b.sharing === "shared" || a.principal === b.principal;
}
