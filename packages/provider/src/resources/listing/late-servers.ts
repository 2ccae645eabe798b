import type { Clock } from "@hostside/core";
import type { EntryListing } from "./read-pages.ts";

/** Servers that were waited for as long as somebody waits, and did not list. */
export interface LateServers<T> {
  /**
   * What `list` brings, or `undefined` when that takes longer than `waitMs` since a server was
   * waited for first: then it goes on, and who asks again waits for it no more until it has listed,
   * or was `forget`ten. `list` must not reject.
   */
  within(serverId: string, waitMs: number, list: () => Promise<EntryListing<T>>): Promise<EntryListing<T> | undefined>;
  /** The server is there, or is another one: it is waited for like any. */
  forget(serverId: string): void;
}

interface Late {
  /** When it was waited for first. */
  readonly since: number;
  /** Listings of it for which nobody waits. */
  underWay: number;
}

/** None is late at first. */
export function createLateServers<T>(clock: Clock): LateServers<T> {
  const late = new Map<string, Late>();
  const goOn = async (serverId: string, known: Late, listing: Promise<EntryListing<T>>): Promise<void> => {
    known.underWay += 1;
    const { error } = await listing;
    known.underWay -= 1;
    if (error === undefined && late.get(serverId) === known) late.delete(serverId);
  };
  return {
    forget: (serverId) => void late.delete(serverId),
    async within(serverId, waitMs, list) {
      const known = late.get(serverId);
      const since = known?.since ?? clock.now();
      const leftMs = since + waitMs - clock.now();
      if (known !== undefined && leftMs <= 0) {
        if (known.underWay === 0) void goOn(serverId, known, list());
        return undefined;
      }
      const listing = list();
      const first = await firstOf(listing, leftMs, clock);
      if (first !== undefined) {
        if (first.error === undefined) late.delete(serverId);
        return first;
      }
      const now = late.get(serverId) ?? { since, underWay: 0 };
      late.set(serverId, now);
      void goOn(serverId, now, listing);
      return undefined;
    },
  };
}

function firstOf<R>(work: Promise<R>, ms: number, clock: Clock): Promise<R | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(ms, () => resolve(undefined));
    void work.then(resolve, reject).finally(cancel);
  });
}
