import { HostsideError } from "@hostside/core";
import { settleWithin } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { deferred } from "./deferred.ts";
import type { EntryEnding, PoolEntry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { CoreSettings } from "./pool-options.ts";
import type { CapacityTracker } from "./capacity-tracker.ts";

/** How entries end, at most once each. */
export interface Endings {
  /** Ends the provider of an entry, or gives up making it. Resolves when nothing is left of it. */
  end(entry: PoolEntry, how: EntryEnding): Promise<void>;
  /** Says that a provider will never be; not heard of one that is ready. */
  fail(entry: PoolEntry, error: unknown): Promise<void>;
}

/**
 * The longest ladder of a process (end of stdin, SIGTERM, SIGKILL), with room; a provider bounds
 * its end by itself.
 */
export const longestProviderCloseMs = 60_000;

/** Says how entries end. */
export function createEndings(parts: PoolParts, capacity: CapacityTracker): Endings {
  const { settings, entries, ending, tell } = parts;
  /** From now on it ends; what this returns says that nothing is left of it. */
  const leave = (entry: PoolEntry): (() => void) => {
    const { id, principal } = entry.owner;
    entries.delete(id);
    const sameOwner = ending.get(id) ?? new Set();
    ending.set(id, sameOwner.add(entry));
    const { giveBack } = capacity.promise(entry.takes, principal);
    return () => {
      sameOwner.delete(entry);
      if (sameOwner.size === 0) ending.delete(id);
      for (const leaving of entry.leaving) leaving.giveBack();
      giveBack();
    };
  };
  const endReady = async (
    entry: PoolEntry,
    provider: McpProvider,
    { why, reason, drainMs }: EntryEnding,
  ): Promise<void> => {
    const forget = leave(entry);
    if (drainMs > 0 && provider.busy) {
      const draining = (async () => provider.applyServers([], { drainMs, reason }))();
      await settleWithin(draining, drainMs + longestProviderCloseMs, settings.clock);
    }
    await closeWithin(provider, reason, settings);
    forget();
    const livedMs = Math.max(0, Math.round(settings.clock.now() - entry.createdAt));
    tell(entry.owner, { type: "ended", why, reason, livedMs });
  };
  const fail = async (entry: PoolEntry, error: unknown): Promise<void> => {
    const { state, owner } = entry;
    if (state.name !== "creating") return;
    const forget = leave(entry);
    const gone = state.over.then(forget);
    entry.state = { name: "ending", provider: undefined, gone };
    state.controller.abort(error);
    tell(owner, { type: "create-failed", error });
    await gone;
  };
  return {
    fail,
    async end(entry, how) {
      const { state, owner } = entry;
      if (state.name === "ending") return state.gone;
      if (state.name === "creating") return fail(entry, entryEndedError(owner.title, how.reason));
      const { provider } = state;
      // First of all it is known to end: closing it fires an event that would end it again.
      const { promise: gone, resolve } = deferred();
      entry.state = { name: "ending", provider, gone };
      resolve(endReady(entry, provider, how));
      return gone;
    },
  };
}

/** Closes a provider. Never rejects: one that cannot be closed has been left to itself. */
export async function closeWithin(provider: McpProvider, reason: string, { clock }: CoreSettings): Promise<void> {
  const closing = (async () => provider.close(reason))();
  await settleWithin(closing, longestProviderCloseMs, clock);
}

/** `closed`, for whoever waits for what somebody ended. */
export function entryEndedError(title: string, reason: string): HostsideError {
  return new HostsideError(`the provider of ${title} was given up while it was made: ${reason}`, { code: "closed" });
}
