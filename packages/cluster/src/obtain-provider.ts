import { isHostsideError, HostsideError } from "@hostside/core";
import { onAbort, untilAborted } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { unwantedError, type Creation } from "./create-entry.ts";
import type { DrainingServers } from "./draining-servers.ts";
import { entryEndedError } from "./end-entry.ts";
import type { Creating, PoolEntry, Owner } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { WaitQueue } from "./wait-queue.ts";
import { isOutdated } from "./update-entry.ts";
import type { LeaseRequest } from "./lease-request.ts";

/** What gets providers. */
export interface Obtaining {
  /**
   * Gets all that a request is for, made if there is none, with the servers that they are to have.
   * They are taken in the turn in which they are known to be there: a moment later they may be
   * displaced.
   */
  obtain<T>(request: LeaseRequest, signal: AbortSignal | undefined, take: Take<T>): Promise<T>;
  /** Those who wait for one of these owners. */
  waitingFor(isFor: (owner: Owner) => boolean): readonly PendingLeaseRequest[];
}

type Take<T> = (found: readonly Found[]) => T;

/** An entry that is ready. */
export interface Found {
  readonly entry: PoolEntry;
  readonly provider: McpProvider;
}

/** What providers are got with. */
export interface ObtainInit {
  readonly parts: PoolParts;
  readonly creation: Creation;
  readonly draining: DrainingServers;
  readonly waitQueue: WaitQueue;
  /** Throws when the pool was shut down. */
  readonly assertOpen: () => void;
}

/** A request that waits. */
export interface PendingLeaseRequest {
  readonly request: LeaseRequest;
  /** Ends the wait, with `closed`. */
  readonly end: (reason: string) => void;
}

/** Says how providers are got. */
export function createObtaining({ parts, creation, draining, waitQueue, assertOpen }: ObtainInit): Obtaining {
  const { entries, settings, config } = parts;
  const all = new Set<PendingLeaseRequest>();

  /**
   * When servers that go over to providers which there are already are gone from where they were.
   */
  const untilDeparted = ({ owners }: LeaseRequest): Promise<unknown> | undefined => {
    const departed = owners.flatMap((owner) => {
      const entry = entries.get(owner.id);
      if (entry?.state.name !== "ready" || !isOutdated(entry, parts)) return [];
      return draining.untilGone(config(owner), owner) ?? [];
    });
    return departed.length === 0 ? undefined : Promise.all(departed);
  };
  const giveUp = (pinned: readonly PoolEntry[]): void => {
    for (const entry of pinned) creation.leave(entry);
    waitQueue.pump();
  };
  const enter = async (request: LeaseRequest, signal: AbortSignal): Promise<readonly PoolEntry[]> => {
    const departed = untilDeparted(request);
    if (departed !== undefined) {
      await untilAborted(departed, signal);
      return [];
    }
    try {
      return await waitQueue.wait(request, signal);
    } catch (error) {
      tellRefused(request, error, { parts, waitQueue });
      throw error;
    }
  };
  const untilMade = async (pinned: readonly PoolEntry[], signal: AbortSignal): Promise<void> => {
    const attempts = pinned.flatMap(({ state }) => (state.name === "creating" ? [madeOrEmptied(state)] : []));
    try {
      await untilAborted(Promise.all(attempts), signal);
    } catch (error) {
      giveUp(pinned);
      throw error;
    }
  };
  const wait = async (
    request: LeaseRequest,
    entered: readonly PoolEntry[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly PoolEntry[]> => {
    const controller = new AbortController();
    const leave = (): void => controller.abort(abortedError(request.title, signal?.reason));
    const stopListening = signal && onAbort(signal, leave);
    const waiting: PendingLeaseRequest = {
      request,
      end: (reason) => controller.abort(entryEndedError(request.title, reason)),
    };
    all.add(waiting);
    try {
      const pinned = entered ?? (await enter(request, controller.signal));
      await untilMade(pinned, controller.signal);
      return pinned;
    } finally {
      all.delete(waiting);
      stopListening?.();
    }
  };
  return {
    async obtain(request, signal, take) {
      for (;;) {
        assertOpen();
        if (signal?.aborted === true) throw abortedError(request.title, signal.reason);
        const entered = untilDeparted(request) === undefined ? waitQueue.enter(request) : undefined;
        const isThere = entered?.every(({ state }) => state.name === "ready") === true;
        const pinned = isThere ? entered : await wait(request, entered, signal);
        for (const entry of pinned) creation.leave(entry);
        // One may have ended in the turn in which it became ready, or is to have other servers by
        // now.
        const found = find(request, pinned, parts);
        if (found === undefined) continue;
        for (const { entry } of found) entry.usedAt = settings.clock.now();
        return take(found);
      }
    },
    waitingFor: (isFor) => Array.from(all).filter(({ request }) => request.owners.some(isFor)),
  };
}

/** Whether an owner has a provider: without servers it has none, where that is the rule. */
export function isWanted(owner: Owner, { config, hasEmpty }: PoolParts): boolean {
  return hasEmpty || config(owner).servers.length > 0;
}

function abortedError(title: string, reason: unknown): HostsideError {
  return new HostsideError(`the wait for the provider of ${title} was given up`, { code: "aborted", cause: reason });
}

/**
 * Settles as the attempt does, but is no error where nothing is to be made any more: then it is
 * looked again what the request is for.
 */
async function madeOrEmptied(state: Creating): Promise<void> {
  try {
    await state.attempt;
  } catch (error) {
    if (state.progress !== "emptied") throw error;
  }
}

/** What the request is for, if all of it is there. */
function find({ owners }: LeaseRequest, pinned: readonly PoolEntry[], parts: PoolParts): readonly Found[] | undefined {
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
function tellRefused(
  { owners }: LeaseRequest,
  error: unknown,
  { parts, waitQueue }: Pick<ObtainInit, "parts" | "waitQueue">,
): void {
  const others = new Set(waitQueue.waiting().flatMap(({ request }) => request.owners.map(({ id }) => id)));
  const isUnwanted = isHostsideError(error, "aborted");
  for (const owner of owners) {
    if (parts.entries.has(owner.id) || others.has(owner.id) || !isWanted(owner, parts)) continue;
    parts.tell(owner, { type: "create-failed", error: isUnwanted ? unwantedError(owner.title) : error });
  }
}
