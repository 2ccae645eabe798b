import type { ServerSpec } from "@hostside/core";

/** The bounds of a pool, by the options that set them. */
export const boundNames = ["maxProviders", "maxConnections", "maxProcesses", "maxPerPrincipal"] as const;

/** A bound of a pool. */
export type BoundName = (typeof boundNames)[number];

/** How much of each bound there is, is taken or is wanted. */
export type Capacity = Readonly<Record<BoundName, number>>;

/** Nothing of any. */
export const none: Capacity = { maxProviders: 0, maxConnections: 0, maxProcesses: 0, maxPerPrincipal: 0 };

/**
 * What a provider of these servers takes. A server counts whether it is connected or not, unless it
 * is disabled; nothing that all share counts for a principal.
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

/** What is left of the one. May be below 0. */
export function minus(a: Capacity, b: Capacity): Capacity {
  return combine(a, b, (one, other) => one - other);
}

/** By how much the one exceeds the other, at least 0. */
export function excess(a: Capacity, b: Capacity): Capacity {
  return combine(a, b, (one, other) => Math.max(0, one - other));
}

/** What a need lacks of what there is. What it needs nothing of, it does not lack. */
export function lackOf(need: Capacity, there: Capacity): Capacity {
  return combine(need, there, (wanted, left) => (wanted === 0 ? 0 : Math.max(0, wanted - left)));
}

/** Whether there is nothing. */
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
export interface Ledger {
  /** What is in it, as it counts for this principal. */
  for(principal: string | undefined): Capacity;
  add(amounts: Capacity, principal: string | undefined): void;
  remove(amounts: Capacity, principal: string | undefined): void;
}

/** An empty one. */
export function createLedger(): Ledger {
  let all = none;
  const owned = new Map<string | undefined, number>();
  const set = (principal: string | undefined, count: number): void => {
    if (count === 0) owned.delete(principal);
    else owned.set(principal, count);
  };
  const ofPrincipal = (principal: string | undefined): number => owned.get(principal) ?? 0;
  return {
    for: (principal) => ({ ...all, maxPerPrincipal: ofPrincipal(principal) }),
    add(amounts, principal) {
      all = plus(all, amounts);
      set(principal, ofPrincipal(principal) + amounts.maxPerPrincipal);
    },
    remove(amounts, principal) {
      all = minus(all, amounts);
      set(principal, ofPrincipal(principal) - amounts.maxPerPrincipal);
    },
  };
}
