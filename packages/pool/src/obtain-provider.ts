import { isHostsideError, HostsideError } from "@hostside/core";
import { onAbort, untilAborted } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { unwantedError, type Creation } from "./create-entry.ts";
import type { Departures } from "./departures.ts";
import { endedError } from "./end-entry.ts";
import type { Creating, Entry, Owner } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { Slots } from "./slots.ts";
import { isOutdated } from "./update-entry.ts";
import type { Wish } from "./wish.ts";

/** What gets providers. */
export interface Obtaining {
  /**
   * Gets all that a wish is for, made if there is none, with the servers that they are to have. They are taken in the turn in which they are known to be
   * there: a moment later they may be displaced.
   */
  obtain<T>(wish: Wish, signal: AbortSignal | undefined, take: Take<T>): Promise<T>;
  /** Those who wait for one of these owners. */
  waitingFor(isFor: (owner: Owner) => boolean): readonly PendingWish[];
}

type Take<T> = (found: readonly Found[]) => T;

/** An entry that is ready. */
export interface Found {
  readonly entry: Entry;
  readonly provider: McpProvider;
}

/** What providers are got with. */
export interface ObtainInit {
  readonly parts: PoolParts;
  readonly creation: Creation;
  readonly departures: Departures;
  readonly slots: Slots;
  /** Throws when the pool was shut down. */
  readonly assertOpen: () => void;
}

/** A wish that waits. */
export interface PendingWish {
  readonly wish: Wish;
  /** Ends the wait, with `closed`. */
  readonly end: (reason: string) => void;
}

/** Says how providers are got. */
export function createObtaining({ parts, creation, departures, slots, assertOpen }: ObtainInit): Obtaining {
  const { entries, settings, config } = parts;
  const all = new Set<PendingWish>();

  /** When servers that go over to providers which there are already are gone from where they were. */
  const untilDeparted = ({ owners }: Wish): Promise<unknown> | undefined => {
    const departed = owners.flatMap((owner) => {
      const entry = entries.get(owner.id);
      if (entry?.state.name !== "ready" || !isOutdated(entry, parts)) return [];
      return departures.untilGone(config(owner), owner) ?? [];
    });
    return departed.length === 0 ? undefined : Promise.all(departed);
  };
  const giveUp = (pinned: readonly Entry[]): void => {
    for (const entry of pinned) creation.leave(entry);
    slots.pump();
  };
  const enter = async (wish: Wish, signal: AbortSignal): Promise<readonly Entry[]> => {
    const departed = untilDeparted(wish);
    if (departed !== undefined) {
      await untilAborted(departed, signal);
      return [];
    }
    try {
      return await slots.wait(wish, signal);
    } catch (error) {
      tellRefused(wish, error, { parts, slots });
      throw error;
    }
  };
  const untilMade = async (pinned: readonly Entry[], signal: AbortSignal): Promise<void> => {
    const attempts = pinned.flatMap(({ state }) => (state.name === "creating" ? [madeOrEmptied(state)] : []));
    try {
      await untilAborted(Promise.all(attempts), signal);
    } catch (error) {
      giveUp(pinned);
      throw error;
    }
  };
  const wait = async (
    wish: Wish,
    entered: readonly Entry[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly Entry[]> => {
    const controller = new AbortController();
    const leave = (): void => controller.abort(abortedError(wish.title, signal?.reason));
    const stopListening = signal && onAbort(signal, leave);
    const waiting: PendingWish = { wish, end: (reason) => controller.abort(endedError(wish.title, reason)) };
    all.add(waiting);
    try {
      const pinned = entered ?? (await enter(wish, controller.signal));
      await untilMade(pinned, controller.signal);
      return pinned;
    } finally {
      all.delete(waiting);
      stopListening?.();
    }
  };
  return {
    async obtain(wish, signal, take) {
      for (;;) {
        assertOpen();
        if (signal?.aborted === true) throw abortedError(wish.title, signal.reason);
        const entered = untilDeparted(wish) === undefined ? slots.enter(wish) : undefined;
        const isThere = entered?.every(({ state }) => state.name === "ready") === true;
        const pinned = isThere ? entered : await wait(wish, entered, signal);
        for (const entry of pinned) creation.leave(entry);
        // One may have ended in the turn in which it became ready, or is to have other servers by now.
        const found = find(wish, pinned, parts);
        if (found === undefined) continue;
        for (const { entry } of found) entry.usedAt = settings.clock.now();
        return take(found);
      }
    },
    waitingFor: (isFor) => Array.from(all).filter(({ wish }) => wish.owners.some(isFor)),
  };
}

/** Whether an owner has a provider: without servers it has none, where that is the rule. */
export function isWanted(owner: Owner, { config, hasEmpty }: PoolParts): boolean {
  return hasEmpty || config(owner).servers.length > 0;
}

function abortedError(title: string, reason: unknown): HostsideError {
  return new HostsideError(`the wait for the provider of ${title} was given up`, { code: "aborted", cause: reason });
}

/** Settles as the attempt does, but is no error where nothing is to be made any more: then it is looked again what the wish is for. */
async function madeOrEmptied(state: Creating): Promise<void> {
  try {
    await state.attempt;
  } catch (error) {
    if (state.progress !== "emptied") throw error;
  }
}

/** What the wish is for, if all of it is there. */
function find({ owners }: Wish, pinned: readonly Entry[], parts: PoolParts): readonly Found[] | undefined {
  const found: Found[] = [];
  for (const owner of owners) {
    if (!isWanted(owner, parts)) continue;
    const entry = parts.entries.get(owner.id);
    if (entry?.state.name !== "ready" || !pinned.includes(entry) || isOutdated(entry, parts)) return undefined;
    found.push({ entry, provider: entry.state.provider });
  }
  return found;
}

/** Says of each owner that it will have none, unless it has one, or somebody else waits for it. */
function tellRefused({ owners }: Wish, error: unknown, { parts, slots }: Pick<ObtainInit, "parts" | "slots">): void {
  const others = new Set(slots.waiting().flatMap(({ wish }) => wish.owners.map(({ id }) => id)));
  const isUnwanted = isHostsideError(error, "aborted");
  for (const owner of owners) {
    if (parts.entries.has(owner.id) || others.has(owner.id) || !isWanted(owner, parts)) continue;
    parts.tell(owner, { type: "create-failed", error: isUnwanted ? unwantedError(owner.title) : error });
  }
}
