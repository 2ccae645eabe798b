import { compareText } from "@hostside/core/implement";
import { diffLocks, type ToolChange } from "@hostside/policy/lock";
import { formatCount } from "../render/print.ts";
import type { ServersLock } from "./lock-file.ts";
import type { Offers } from "./read-offers.ts";

/** One difference between a lock file and what is offered now. */
export interface OfferChange extends ToolChange {
  readonly server: string;
}

/** A lock file that was made anew. */
export interface RenewedLock {
  readonly locks: ServersLock;
  readonly locked: readonly {
    readonly server: string;
    readonly tools: number;
    readonly hash: string;
    readonly was: "new" | "same" | "changed";
  }[];
  /** Servers whose locks stay what they were, because what they offer now is not known. */
  readonly kept: readonly { readonly server: string; readonly reason: string }[];
  /** Servers that are configured no more. */
  readonly removed: readonly string[];
}

/**
 * Makes a lock file anew after servers were asked. A server that could not be asked keeps the lock
 * that it has.
 */
export function renewLocks(before: ServersLock, offers: Offers): RenewedLock {
  const removed = goneServers(before, offers);
  const locks = new Map([...before, ...offers.locks]);
  for (const server of removed) locks.delete(server);
  const locked = sorted(offers).map(([server, { tools, hash }]) => {
    const old = before.get(server);
    const was = old === undefined ? "new" : old.hash === hash ? "same" : "changed";
    return { server, tools: tools.length, hash, was } as const;
  });
  const kept = offers.unread.filter(({ server }) => before.has(server));
  return { locks, locked, kept: kept.map(({ server, reason }) => ({ server, reason })), removed };
}

/**
 * Compares the offers of servers with a lock file. It skips servers that could not be
 * asked.
 */
export function compareOffers(before: ServersLock, offers: Offers): readonly OfferChange[] {
  const gone = goneServers(before, offers).map((server): OfferChange => {
    return { server, kind: "breaking", path: "", what: "is configured no more" };
  });
  const changed = sorted(offers).flatMap(([server, lock]): readonly OfferChange[] => {
    const old = before.get(server);
    if (old !== undefined) return diffLocks(old, lock).map((change) => ({ server, ...change }));
    const what = `is new, with ${formatCount(lock.tools.length, "tool")}`;
    return [{ server, kind: "compatible", path: "", what }];
  });
  return [...gone, ...changed].sort((a, b) => compareText(a.server, b.server));
}

/** Servers of a lock file that no file of the configuration has any more. */
function goneServers(before: ServersLock, { configured, isAll, isPartial }: Offers): readonly string[] {
  return isAll && !isPartial ? [...before.keys()].filter((server) => !configured.has(server)) : [];
}

function sorted({ locks }: Offers) {
  return Array.from(locks).sort(([a], [b]) => compareText(a, b));
}
