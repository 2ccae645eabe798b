import { diffLocks, type ChangeKind, type ToolChange, type ToolLock } from "@hostside/policy/lock";
import type { Offers } from "./read-offers.ts";
import type { ServersLock } from "./servers-lock.ts";

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
 * What a lock file says after servers were asked again. Whoever could not be asked keeps the lock
 * that they have.
 */
export function renewLocks(
  before: ServersLock,
  { locks: now, unread, configured, isAll, isPartial }: Offers,
): RenewedLock {
  const locks = new Map<string, ToolLock>(now);
  const kept: { readonly server: string; readonly reason: string }[] = [];
  const removed: string[] = [];
  for (const [server, lock] of before) {
    if (now.has(server)) continue;
    if (!configured.has(server) && isAll && !isPartial) {
      removed.push(server);
      continue;
    }
    locks.set(server, lock);
    const reason = unread.find((one) => one.server === server)?.reason;
    if (reason !== undefined) kept.push({ server, reason });
    else if (!configured.has(server) && isPartial)
      kept.push({ server, reason: "may stand in a file that cannot be read" });
  }
  const locked = sorted(now).map(([server, { tools, hash }]) => {
    const old = before.get(server);
    const was = old === undefined ? "new" : old.hash === hash ? "same" : "changed";
    return { server, tools: tools.length, hash, was } as const;
  });
  return { locks, locked, kept, removed };
}

/**
 * What changed since a lock file was written, server by server. Of a server that could not be asked
 * nothing is said.
 */
export function compareOffers(
  before: ServersLock,
  { locks: now, unread, configured, isAll, isPartial }: Offers,
): readonly OfferChange[] {
  const known = new Set(unread.map(({ server }) => server));
  const ids = [...new Set([...before.keys(), ...now.keys()])].sort();
  return ids.flatMap((server): readonly OfferChange[] => {
    const [old, offer] = [before.get(server), now.get(server)];
    if (offer === undefined) {
      const isGone = !configured.has(server) && isAll && !isPartial && !known.has(server);
      return isGone ? [{ server, kind: "breaking", path: "", what: "is configured no more" }] : [];
    }
    if (old === undefined) {
      const { length } = offer.tools;
      return [
        { server, kind: "compatible", path: "", what: `is new, with ${length === 1 ? "1 tool" : `${length} tools`}` },
      ];
    }
    return diffLocks(old, offer).map((change) => ({ server, ...change }));
  });
}

/** How many changes of each kind there are. */
export function countChangesByKind(changes: readonly ToolChange[]): Readonly<Record<ChangeKind, number>> {
  const count = (kind: ChangeKind): number => changes.filter((change) => change.kind === kind).length;
  return { breaking: count("breaking"), security: count("security"), compatible: count("compatible") };
}

function sorted(locks: ServersLock): readonly (readonly [string, ToolLock])[] {
  return Array.from(locks).sort(([a], [b]) => (a < b ? -1 : 1));
}
