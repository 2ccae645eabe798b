import { HostsideError, type ServerSpec } from "@hostside/core";

/** The bounds of a pool, by the options that set them. */
export const boundNames = ["maxProviders", "maxConnections", "maxProcesses", "maxPerPrincipal"] as const;

/** A bound of a pool. */
export type BoundName = (typeof boundNames)[number];

/** How much of each bound there is, is taken or is wanted. */
export type Capacity = Readonly<Record<BoundName, number>>;

/** Nothing of any. */
export const none: Capacity = { maxProviders: 0, maxConnections: 0, maxProcesses: 0, maxPerPrincipal: 0 };

/**
 * Computes the capacity that a provider of these servers takes. A server counts whether it is
 * connected or not, unless it is disabled; nothing that all share counts for a principal.
 */
export function capacityFor(servers: readonly ServerSpec[], isShared: boolean): Capacity {
  const enabled = servers.filter(({ disabled }) => disabled !== true);
  const processes = enabled.filter(({ command }) => command !== undefined);
  return {
    maxProviders: 1,
    maxConnections: enabled.length,
    maxProcesses: processes.length,
    maxPerPrincipal: isShared ? 0 : enabled.length,
  };
}

/** Both together. */
export function plus(a: Capacity, b: Capacity): Capacity {
  return combine(a, b, (one, other) => one + other);
}

/** Subtracts. May be below 0. */
export function minus(a: Capacity, b: Capacity): Capacity {
  return combine(a, b, (one, other) => one - other);
}

/** By how much the one exceeds the other, at least 0. */
export function excess(a: Capacity, b: Capacity): Capacity {
  return combine(a, b, (one, other) => Math.max(0, one - other));
}

/** Computes what a need lacks. A bound that it needs nothing of lacks nothing. */
export function lackOf(need: Capacity, there: Capacity): Capacity {
  return combine(need, there, (wanted, left) => (wanted === 0 ? 0 : Math.max(0, wanted - left)));
}

/** Tells if there is nothing. */
export function isNone(amounts: Capacity): boolean {
  return boundNames.every((name) => amounts[name] === 0);
}

function combine(a: Capacity, b: Capacity, join: (a: number, b: number) => number): Capacity {
  return {
    maxProviders: join(a.maxProviders, b.maxProviders),
    maxConnections: join(a.maxConnections, b.maxConnections),
    maxProcesses: join(a.maxProcesses, b.maxProcesses),
    maxPerPrincipal: join(a.maxPerPrincipal, b.maxPerPrincipal),
  };
}

/** Sums of amounts: of the pool, and of each principal. */
export class Ledger {
  #all = none;
  readonly #owned = new Map<string | undefined, number>();

  /** The sum as it counts for this principal. */
  for(principal: string | undefined): Capacity {
    return { ...this.#all, maxPerPrincipal: this.#owned.get(principal) ?? 0 };
  }

  add(amounts: Capacity, principal: string | undefined): void {
    this.#all = plus(this.#all, amounts);
    const count = (this.#owned.get(principal) ?? 0) + amounts.maxPerPrincipal;
    if (count === 0) this.#owned.delete(principal);
    else this.#owned.set(principal, count);
  }
}

/**
 * Capacity that will come free. `giveBack` and `keep` are mutually exclusive; the first call wins.
 */
export interface ReservedCapacity {
  readonly giveBack: () => void;
  /** It stays taken; `false`: it was given back. */
  readonly keep: () => boolean;
}

/** Tracks what is taken of the bounds, and what will come free. */
export class CapacityTracker {
  readonly limits: Capacity;
  readonly #onFree: () => void;
  readonly #taken = new Ledger();
  readonly #coming = new Ledger();

  /** Begins with nothing taken. `onFree` is called when something is given back. */
  constructor(limits: Capacity, onFree: () => void) {
    this.limits = limits;
    this.#onFree = onFree;
  }

  /**
   * Computes what is left for this principal now, and after promised capacity has come free. May be
   * below 0.
   */
  left(principal: string | undefined): { readonly now: Capacity; readonly later: Capacity } {
    const now = minus(this.limits, this.#taken.for(principal));
    return { now, later: plus(now, this.#coming.for(principal)) };
  }

  take(amounts: Capacity, principal: string | undefined): void {
    this.#taken.add(amounts, principal);
  }

  /** Says that something will come free; waiting requests count on it. */
  promise(amounts: Capacity, principal: string | undefined): ReservedCapacity {
    this.#coming.add(amounts, principal);
    let isComing = true;
    const keep = (): boolean => {
      if (!isComing) return false;
      isComing = false;
      this.#coming.add(minus(none, amounts), principal);
      return true;
    };
    const giveBack = (): void => {
      if (!keep()) return;
      this.#taken.add(minus(none, amounts), principal);
      this.#onFree();
    };
    return { keep, giveBack };
  }
}

const whatCounts: Readonly<Record<BoundName, string>> = {
  maxProviders: "providers",
  maxConnections: "connections",
  maxProcesses: "processes",
  maxPerPrincipal: "connections of its principal",
};

/** Makes the error of a request that found all in use: which bound, its numbers and the remedy. */
export function fullError(
  { title, principal }: { readonly title: string; readonly principal: string | undefined },
  lacks: Capacity,
  capacity: CapacityTracker,
): HostsideError {
  const bound = boundNames.find((name) => lacks[name] > 0) ?? "maxProviders";
  const limit = capacity.limits[bound];
  const used = limit - capacity.left(principal).now[bound];
  return new HostsideError(
    `no room for ${title}: ${used} of ${limit} ${whatCounts[bound]} are in use, and ${lacks[bound]} more would be needed; raise ${bound}, or give leases back`,
    { code: "overloaded", details: { policy: bound, usage: { used, limit } } },
  );
}

/** Throws `overloaded`, which is not to be tried again, for servers that could never have room. */
export function assertFits(takes: Capacity, limits: Capacity): void {
  const bound = boundNames.find((name) => takes[name] > limits[name]);
  if (bound === undefined) return;
  const usage = { used: takes[bound], limit: limits[bound] };
  throw new HostsideError(
    `a conversation with these servers takes ${usage.used} ${whatCounts[bound]}, and ${bound} allows ${usage.limit}: it could never be had; raise ${bound}, or have fewer servers`,
    { code: "overloaded", retryable: false, details: { policy: bound, usage } },
  );
}
