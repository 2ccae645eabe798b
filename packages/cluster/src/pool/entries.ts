import { HostsideError, isHostsideError, type Cancel, type ServerSharing, type ServerSpec } from "@hostside/core";
import { clock, formatMs, sameJson, settleWithin, untilAborted } from "@hostside/core/implement";
import { fingerprintServers, type McpProvider } from "@hostside/provider";
import {
  capacityFor,
  excess,
  isNone,
  plus,
  type Capacity,
  type CapacityTracker,
  type ReservedCapacity,
} from "./capacity.ts";
import type { PoolSettings } from "./pool-options.ts";
import type { EndOfProvider, Happening, SharedOwner, SharedProvidersOptions } from "./shared-providers.ts";

/** The owner of a provider. */
export interface Owner {
  /** Unlike that of any other owner. */
  readonly id: string;
  /** For messages. */
  readonly title: string;
  /** As the product knows it. The bound of its principal counts, unless all share it. */
  readonly label: SharedOwner;
}

/** A set of servers that a provider has, or is to have. */
export interface ServerConfig {
  readonly servers: readonly ServerSpec[];
  readonly fingerprint: string;
  /** The capacity that a provider with these servers takes. */
  readonly takes: Capacity;
}

/** Computes what a set of servers comes to. */
export function createServerConfig(servers: readonly ServerSpec[], sharing: ServerSharing): ServerConfig {
  return { servers, fingerprint: fingerprintServers(servers), takes: capacityFor(servers, sharing === "shared") };
}

/** The provider of an owner. From the first on it has its places in the pool. */
export interface PoolEntry {
  readonly owner: Owner;
  state: Creating | Ready | Ending;
  /** The set that its provider has. */
  config: ServerConfig;
  /** The set that its provider refused. */
  refused: ServerConfig | undefined;
  /** Its share of the bounds. It is more than its set takes while it gets the next one. */
  takes: Capacity;
  /** Capacity of servers that are still ending. */
  readonly leaving: Set<ReservedCapacity>;
  /** How many wait for it. When nobody does while it is made, it is given up. */
  waiters: number;
  leases: number;
  /** By the clock, as `createdAt`. */
  usedAt: number;
  readonly createdAt: number;
}

interface Creating {
  readonly name: "creating";
  /** Settles when it is ready, or will never be. */
  readonly attempt: Promise<unknown>;
  readonly controller: AbortController;
  /** Resolves when nothing is left of an attempt that failed. */
  leftover: Promise<unknown>;
  /** Its servers have all gone to others before it was made: it is not made. */
  isEmptied: boolean;
}

interface Ready {
  readonly name: "ready";
  readonly provider: McpProvider;
}

interface Ending {
  readonly name: "ending";
  readonly provider: McpProvider | undefined;
  readonly gone: Promise<void>;
}

interface HowItEnds {
  readonly why: EndOfProvider;
  readonly reason: string;
  /** How long calls may go on, in milliseconds. Default 0. */
  readonly drainMs?: number;
}

/** Parts of {@linkcode Entries}. */
export interface EntryRules {
  readonly settings: PoolSettings;
  readonly capacity: CapacityTracker;
  readonly make: SharedProvidersOptions["make"];
  /** Returns the set that the provider of an owner is to have. */
  readonly configOf: (owner: Owner) => ServerConfig;
  /** Tells if a server has moved to owners of another kind. */
  readonly hasMoved: (id: string, owner: Owner) => boolean;
  readonly tell: (owner: Owner, what: Happening) => void;
}

/**
 * The longest ladder of a process (end of stdin, SIGTERM, SIGKILL), with room; a provider bounds
 * its end by itself.
 */
const longestProviderCloseMs = 60_000;
// The end of one is a fraction of a millisecond; that of ten thousand at once would hold up every
// call for seconds.
const mostSweptAtOnce = 100;
const sweepPauseMs = 50;

/** Makes, changes and ends providers: one at a time for each owner, and each ends once. */
export class Entries {
  /** By the id of the owner: those that are made, or ready. */
  readonly live: Map<string, PoolEntry> = new Map();
  readonly ending: Set<PoolEntry> = new Set();
  readonly #rules: EntryRules;
  /** Every provider that the pool has or had: the end of one must not be that of another. */
  readonly #owned = new WeakSet<McpProvider>();
  #cancelSweep: Cancel | undefined;

  constructor(rules: EntryRules) {
    this.#rules = rules;
  }

  /** Begins to make the provider of an owner who has none, and takes its places. */
  begin(owner: Owner): PoolEntry {
    const { capacity, configOf } = this.#rules;
    const config = configOf(owner);
    const now = clock.now();
    const state: Creating = {
      name: "creating",
      // In a later turn, when there is an entry.
      attempt: Promise.resolve().then(() => this.#bringUp(entry, state)),
      controller: new AbortController(),
      leftover: Promise.resolve(),
      isEmptied: false,
    };
    const entry: PoolEntry = {
      owner,
      state,
      config,
      refused: undefined,
      takes: config.takes,
      leaving: new Set(),
      waiters: 0,
      leases: 0,
      usedAt: now,
      createdAt: now,
    };
    capacity.take(config.takes, owner.label.principal);
    this.live.set(owner.id, entry);
    state.attempt.catch((error: unknown) => this.#fail(entry, error));
    return entry;
  }

  /** Says that one less waits for it. The last one who gives it up ends it. */
  leave(entry: PoolEntry): void {
    entry.waiters -= 1;
    if (entry.waiters === 0) void this.#fail(entry, closedError(entry.owner.title, "nobody waits for it any more"));
  }

  /** Ends the provider of an entry, or gives up making it. Resolves when nothing is left of it. */
  async end(entry: PoolEntry, how: HowItEnds): Promise<void> {
    const { state } = entry;
    if (state.name === "ending") return state.gone;
    if (state.name === "creating") return this.#fail(entry, closedError(entry.owner.title, how.reason));
    const { provider } = state;
    let begin: (closing: Promise<void>) => void = () => {};
    const gone = new Promise<void>((resolve) => (begin = resolve));
    // First of all it is known to end: closing it fires an event that would end it again.
    entry.state = { name: "ending", provider, gone };
    begin(this.#close(entry, provider, how));
    return gone;
  }

  /** Closes those that are draining, without waiting for their calls, and ends all others. */
  endAll(reason: string): void {
    this.#cancelSweep?.();
    for (const { state } of this.ending)
      if (state.name === "ending" && state.provider) void this.#closeWithin(state.provider, reason);
    for (const entry of Array.from(this.live.values())) void this.end(entry, { why: "shutdown", reason });
  }

  /** Resolves when nothing is left of what is ending now, of some owners. */
  async untilGone(isFor: (owner: Owner) => boolean): Promise<void> {
    const mine = Array.from(this.ending).filter(({ owner }) => isFor(owner));
    await Promise.all(mine.flatMap(({ state }) => (state.name === "ending" ? [state.gone] : [])));
  }

  /** Lists the unused entries, the least recently used first. */
  idle(): readonly PoolEntry[] {
    const idle = Array.from(this.live.values()).filter(isIdle);
    return idle.sort((a, b) => a.usedAt - b.usedAt);
  }

  /** Tells if a provider has another set than it is to have, unless it refused it. */
  isOutdated({ owner, config, refused }: PoolEntry): boolean {
    const wanted = this.#rules.configOf(owner);
    return wanted !== config && wanted !== refused;
  }

  /**
   * Gives a provider other servers. It has them when this returns; what has to start, starts, and
   * what goes gives its places back when it is gone. Never rejects.
   */
  async give(entry: PoolEntry, wanted: ServerConfig): Promise<void> {
    if (entry.state.name !== "ready") return;
    const { provider } = entry.state;
    const { config: before, owner } = entry;
    const { capacity, tell, settings } = this.#rules;
    const freed = excess(entry.takes, wanted.takes);
    capacity.take(excess(wanted.takes, entry.takes), owner.label.principal);
    const leaving = capacity.promise(freed, owner.label.principal);
    entry.config = wanted;
    entry.takes = wanted.takes;
    if (sameJson(wanted.servers, before.servers)) return leaving.giveBack();
    entry.leaving.add(leaving);
    try {
      await provider.applyServers(wanted.servers, {
        drainMs: settings.drainMs,
        reason: "its configuration changed",
      });
      freeIfThere(entry, leaving);
      tell(owner, { type: "updated" });
    } catch (error) {
      if (isHostsideError(error) && error.code === "closed") return;
      // It may have been given the same once more meanwhile.
      const isLatest = sameJson(entry.config.servers, wanted.servers);
      entry.refused = isLatest ? entry.config : wanted;
      if (isLatest) {
        entry.config = before;
        // It still has what it had.
        if (!isEnding(entry) && leaving.keep()) {
          entry.takes = before.takes;
          capacity.promise(excess(plus(wanted.takes, freed), before.takes), owner.label.principal).giveBack();
        }
      }
      freeIfThere(entry, leaving);
      tell(owner, { type: "update-failed", error });
      // One that does not let go of a server that it may not have any more is ended.
      if (this.#stayingOf(entry) !== entry.config)
        await this.end(entry, { why: "disposed", reason: "a server could not be taken from it" });
    }
  }

  /**
   * Takes what has gone over to owners of another kind from all providers that have it, at once:
   * new calls do not see it any more, and calls under way may finish within `drainMs`.
   */
  takeMoved(): void {
    for (const entry of this.live.values()) void this.#takeMovedFrom(entry);
  }

  async #takeMovedFrom(entry: PoolEntry): Promise<void> {
    if (entry.state.name === "creating") await entry.state.attempt.catch(() => {});
    const staying = this.#stayingOf(entry);
    if (staying !== entry.config) await this.give(entry, staying);
  }

  /** Its set without what has moved to owners of another kind; the same if nothing has. */
  #stayingOf({ config, owner }: PoolEntry): ServerConfig {
    const left = config.servers.filter(({ id }) => !this.#rules.hasMoved(id, owner));
    return left.length === config.servers.length ? config : createServerConfig(left, owner.label.sharing);
  }

  async #bringUp(entry: PoolEntry, state: Creating): Promise<void> {
    const { owner } = entry;
    const { signal } = state.controller;
    // The one before may still have its processes.
    await untilAborted(
      this.untilGone(({ id }) => id === owner.id),
      signal,
    );
    this.#takeLatest(entry);
    state.isEmptied = entry.config.servers.length === 0;
    if (state.isEmptied) throw closedError(owner.title, "it is to have no servers any more");
    const provider = await this.#make(entry, state);
    try {
      signal.throwIfAborted();
      this.#listen(entry, provider);
    } catch (error) {
      state.leftover = this.#closeWithin(provider, "nobody wants it any more");
      throw error;
    }
    entry.state = { name: "ready", provider };
    entry.usedAt = clock.now();
    this.#sweepIn(this.#rules.settings.sweepMs);
    this.#rules.tell(owner, { type: "created" });
  }

  /** The set that it is to have, if there is room for it; else what it was to have and still is. */
  #takeLatest(entry: PoolEntry): void {
    const { configOf, capacity } = this.#rules;
    const { owner, takes, config } = entry;
    const latest = configOf(owner);
    const ids = new Set(latest.servers.map(({ id }) => id));
    const next = isNone(excess(latest.takes, takes))
      ? latest
      : createServerConfig(
          config.servers.filter(({ id }) => ids.has(id)),
          owner.label.sharing,
        );
    entry.config = next;
    entry.takes = next.takes;
    capacity.promise(excess(takes, next.takes), owner.label.principal).giveBack();
  }

  /**
   * Has the product make a provider, for at most `makeMs`. A provider that comes too late is
   * closed.
   */
  #make(entry: PoolEntry, state: Creating): Promise<McpProvider> {
    const { settings, make } = this.#rules;
    const { makeMs } = settings;
    const { owner, config } = entry;
    const { controller } = state;
    const { signal } = controller;
    const made = (async () => {
      const provider = await make({ ...owner.label, servers: config.servers, signal });
      if (this.#owned.has(provider)) throw new TypeError("make() gave a provider that it has given before");
      this.#owned.add(provider);
      return provider;
    })();
    const cancel = clock.schedule(makeMs, () => {
      const message = `make() had no provider for ${owner.title} after ${formatMs(makeMs)}`;
      controller.abort(new HostsideError(message, { code: "connect_timeout" }));
    });
    const closeLate = async (): Promise<void> => {
      const late = await made;
      if (signal.aborted) await this.#closeWithin(late, "it came too late");
    };
    state.leftover = settleWithin(closeLate(), makeMs + longestProviderCloseMs);
    return untilAborted(made, signal).finally(cancel);
  }

  #listen(entry: PoolEntry, provider: McpProvider): void {
    provider.onCallEnded(() => void (entry.usedAt = clock.now()));
    provider.onClosed(() => void this.end(entry, { why: "closed", reason: "closed by its owner" }));
    // Its end may not be over: whoever refuses it waits for that.
    if (provider.closed) throw new TypeError("make() gave a provider that is closed");
  }

  /** Says that a provider will never be; does nothing for one that is ready. */
  async #fail(entry: PoolEntry, error: unknown): Promise<void> {
    const { state, owner } = entry;
    if (state.name !== "creating") return;
    const forget = this.#retire(entry);
    const gone = state.attempt.catch(() => state.leftover).then(forget);
    entry.state = { name: "ending", provider: undefined, gone };
    state.controller.abort(error);
    this.#rules.tell(owner, { type: "create-failed", error });
    await gone;
  }

  async #close(entry: PoolEntry, provider: McpProvider, { why, reason, drainMs = 0 }: HowItEnds): Promise<void> {
    const { tell } = this.#rules;
    const forget = this.#retire(entry);
    if (drainMs > 0 && provider.busy) {
      const draining = (async () => provider.applyServers([], { drainMs, reason }))();
      await settleWithin(draining, drainMs + longestProviderCloseMs);
    }
    await this.#closeWithin(provider, reason);
    forget();
    const livedMs = Math.max(0, Math.round(clock.now() - entry.createdAt));
    tell(entry.owner, { type: "ended", why, reason, livedMs });
  }

  /** From now on it ends; the function that this returns says that nothing is left of it. */
  #retire(entry: PoolEntry): () => void {
    this.live.delete(entry.owner.id);
    this.ending.add(entry);
    const { giveBack } = this.#rules.capacity.promise(entry.takes, entry.owner.label.principal);
    return () => {
      this.ending.delete(entry);
      for (const leaving of entry.leaving) leaving.giveBack();
      giveBack();
    };
  }

  /** Closes a provider. Never rejects: one that cannot be closed has been left to itself. */
  async #closeWithin(provider: McpProvider, reason: string): Promise<void> {
    const closing = (async () => provider.close(reason))();
    await settleWithin(closing, longestProviderCloseMs);
  }

  #sweepIn(delayMs: number): void {
    if (this.#cancelSweep !== undefined || this.live.size === 0) return;
    const { sweepMs } = this.#rules.settings;
    this.#cancelSweep = clock.schedule(delayMs, () => {
      this.#cancelSweep = undefined;
      this.#sweepIn(this.#sweep() ? sweepPauseMs : sweepMs);
    });
  }

  /** Ends what nobody uses. Returns whether some are left that should end. */
  #sweep(): boolean {
    const { ttlMs } = this.#rules.settings;
    const now = clock.now();
    let ended = 0;
    for (const entry of Array.from(this.live.values())) {
      // A clock that was put back would keep it for as long.
      if (entry.usedAt > now) entry.usedAt = now;
      if (now - entry.usedAt < ttlMs) continue;
      // What is in use now was used now.
      if (!isIdle(entry)) entry.usedAt = now;
      else if (ended === mostSweptAtOnce) return true;
      else {
        void this.end(entry, { why: "idle", reason: "reap" });
        ended += 1;
      }
    }
    return false;
  }
}

/** Tells if it is unused, and may make room. */
function isIdle({ state, waiters, leases }: PoolEntry): boolean {
  return state.name === "ready" && waiters === 0 && leases === 0 && !state.provider.busy;
}

function isEnding({ state }: PoolEntry): boolean {
  return state.name === "ending";
}

/** Frees capacity, except of an entry that ends: that is freed at its end. */
function freeIfThere(entry: PoolEntry, leaving: ReservedCapacity): void {
  if (isEnding(entry)) return;
  leaving.giveBack();
  entry.leaving.delete(leaving);
}

/** Makes the error of whoever waits for what somebody ended. */
export function closedError(title: string, reason: string): HostsideError {
  return new HostsideError(`the provider of ${title} was given up while it was made: ${reason}`, { code: "closed" });
}
