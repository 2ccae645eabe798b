import type { Cancel, HostsideError, Subscription } from "@hostside/core";
import { clock, compareText, createEvent, freezeData, sameJson } from "@hostside/core/implement";
import type { ListDefinition, EntryListing } from "./list-server.ts";

/** A change of one server's list. */
export interface ListChange<T> extends EntriesDiff<T> {
  readonly serverId: string;
  /** The revision of the snapshot that shows it. */
  readonly revision: number;
}

/** The state of one server's list. */
export interface ListState {
  readonly serverId: string;
  /**
   * The entries may not be the server's latest: it announced a change since, or could not be asked
   * again.
   */
  readonly stale: boolean;
  /** Why the list is not there, not whole, or could not be read again. */
  readonly error?: HostsideError;
}

/** The lists of all servers as they were read last: immutable, and whole for each server. */
export interface ListSnapshot<T> {
  /** Grows with every change of the entries. */
  readonly revision: number;
  /** Sorted by server id, then by key. */
  readonly entries: readonly T[];
  /** The servers that were listed, sorted by id. */
  readonly servers: readonly ListState[];
}

/** The parts for a live list. */
export interface LiveListInit<T> {
  readonly kind: Pick<ListDefinition<T>, "keyOf">;
  /** Reads the list of one server; never rejects. */
  readonly relist: (serverId: string, signal: AbortSignal) => Promise<EntryListing<T>>;
  readonly isOpen: () => boolean;
}

/**
 * How much of a list was read: nothing yet, what came before it failed, as much as the limits let
 * it be, or all.
 */
const extents = ["none", "part", "limited", "whole"] as const;

type Extent = (typeof extents)[number];

class Known<T> {
  readonly serverId: string;
  readonly gone = new AbortController();
  entries: ReadonlyMap<string, T> = new Map();
  /** How much of the list is shown. */
  extent: Extent = "none";
  /** Says whether somebody wants it to be shown: not while it was only read for somebody alone. */
  isAwaited = true;
  error: HostsideError | undefined;
  /** Number of the listing that is shown. */
  shown = 0;
  /**
   * How often the server announced a change, and how often it had when the listing that is shown
   * began.
   */
  changes = 0;
  changesShown = 0;
  cancelTimer: Cancel | undefined;
  /** When the first of the changes came that the timer waits for. */
  firstAt: number | undefined;
  isListing = false;
  /** Listings that have not ended, its own and others. */
  underWay = 0;
  /**
   * How many listings in a row that it announced showed nothing else, or were outdated by another
   * announcement, and when the next one may be.
   */
  idle = 0;
  nextAt = 0;

  constructor(serverId: string) {
    this.serverId = serverId;
  }

  get isStale(): boolean {
    return this.changes !== this.changesShown || this.error !== undefined || (this.extent === "none" && this.isAwaited);
  }

  forget(): void {
    this.cancelTimer?.();
    this.gone.abort();
  }
}

// A server must have been quiet about changes of its list for so long before it is read again; at
// most ten times that after the first of them.
const quietMs = 200;
/**
 * A server that announces changes of a list that stays as it is, or in each listing, is left alone
 * for twice as long after each, up to `quietMs` times 2 to this power.
 */
const longestWait = 8;

/**
 * One kind of list of all servers, kept up to date. It knows of no server until a listing of it
 * begins. A burst of changes becomes one listing, when the server has been quiet; one that fails
 * keeps what was there, marked stale, and so does one that reached a limit where a whole one is
 * there.
 */
export class LiveList<T> {
  readonly #init: LiveListInit<T>;
  readonly #source = createEvent<ListChange<T>>();
  readonly #servers = new Map<string, Known<T>>();
  #snapshot: ListSnapshot<T> | undefined;
  #revision = 0;
  /** Listings that ever began. */
  #begun = 0;
  #closed = false;

  constructor(init: LiveListInit<T>) {
    this.#init = init;
  }

  snapshot(): ListSnapshot<T> {
    this.#snapshot ??= takeSnapshot(this.#servers, this.#revision);
    return this.#snapshot;
  }

  /**
   * Fires after a new snapshot is in place, for one server each. While somebody listens, lists that
   * may have changed are read again.
   */
  onChanged(listener: (change: ListChange<T>) => void): Subscription {
    const subscription = this.#source.on(listener);
    for (const known of this.#servers.values()) if (known.cancelTimer === undefined) this.#schedule(known);
    return subscription;
  }

  /** Begins a listing of this server. */
  begin(serverId: string): PendingListing<T> {
    const known = this.#knownOf(serverId);
    const { changes } = known;
    known.isAwaited = true;
    this.#begun += 1;
    const number = this.#begun;
    known.underWay += 1;
    return {
      signal: known.gone.signal,
      end: (listing) => {
        known.underWay -= 1;
        if (listing === undefined || !this.#isCurrent(known) || number < known.shown) return;
        this.#snapshot = undefined;
        known.error = listing.error;
        const extent = extentOf(listing);
        if (!replaces(extent, known.extent)) return;
        known.shown = number;
        known.changesShown = changes;
        known.extent = extent;
        const { keyOf } = this.#init.kind;
        this.#show(known, new Map(listing.entries.map((entry) => [keyOf(entry), freezeData(entry)])));
      },
    };
  }

  /** Says whether a listing of this server ever began. */
  has(serverId: string): boolean {
    return this.#servers.has(serverId);
  }

  /**
   * Notes that the list is read for somebody alone: nothing of it is shown, and it is not read here
   * until it changes. Call the returned function when that listing has ended; where it failed, the
   * list is read here as soon as it can be.
   */
  follow(serverId: string): (hasFailed: boolean) => void {
    const isNew = !this.#servers.has(serverId);
    const known = this.#knownOf(serverId);
    if (isNew) known.isAwaited = false;
    known.underWay += 1;
    return (hasFailed) => {
      known.underWay -= 1;
      if (!hasFailed) return;
      known.isAwaited = true;
      this.#schedule(known);
    };
  }

  /**
   * The server is there: what is not known of it, or stale, is read unless that is under way. A new
   * server counts only with `isWanted`.
   */
  wake(serverId: string, isWanted: boolean): void {
    const known = isWanted ? this.#knownOf(serverId) : this.#servers.get(serverId);
    if (known?.underWay !== 0) return;
    known.isAwaited ||= isWanted;
    known.nextAt = 0;
    this.#schedule(known);
  }

  /** The server said that the list changed, or may have. */
  changed(serverId: string): void {
    const known = this.#servers.get(serverId);
    if (known === undefined) return;
    this.#snapshot = undefined;
    known.changes += 1;
    known.isAwaited ||= this.#source.hasListeners;
    this.#schedule(known);
  }

  /** The registration has ended: its entries are gone at once. */
  removed(serverId: string): void {
    const known = this.#servers.get(serverId);
    if (known === undefined) return;
    this.#servers.delete(serverId);
    known.forget();
    this.#show(known, new Map());
  }

  close(): void {
    this.#closed = true;
    this.#snapshot = undefined;
    this.#source.close();
    for (const known of this.#servers.values()) known.forget();
    this.#servers.clear();
  }

  #knownOf(serverId: string): Known<T> {
    let known = this.#servers.get(serverId);
    if (known !== undefined) return known;
    known = new Known<T>(serverId);
    this.#snapshot = undefined;
    if (!this.#closed) this.#servers.set(serverId, known);
    return known;
  }

  #isCurrent(known: Known<T>): boolean {
    return !this.#closed && this.#servers.get(known.serverId) === known;
  }

  #show(known: Known<T>, entries: ReadonlyMap<string, T>): void {
    this.#snapshot = undefined;
    const diff = diffEntries(known.entries, entries);
    known.entries = entries;
    if (diff === undefined) return;
    this.#revision += 1;
    this.#source.emit(Object.freeze({ serverId: known.serverId, revision: this.#revision, ...diff }));
  }

  #schedule(known: Known<T>): void {
    if (!this.#isCurrent(known) || !this.#source.hasListeners || known.isListing || !known.isStale) return;
    const now = clock.now();
    known.firstAt ??= now;
    const latestMs = known.firstAt + quietMs * 10 - now;
    known.cancelTimer?.();
    const delayMs = Math.max(0, known.nextAt - now, Math.min(quietMs, latestMs));
    known.cancelTimer = clock.schedule(delayMs, () => void this.#readAgain(known));
  }

  async #readAgain(known: Known<T>): Promise<void> {
    const { isOpen, relist } = this.#init;
    known.cancelTimer = undefined;
    known.firstAt = undefined;
    if (!this.#isCurrent(known) || !isOpen() || !known.isStale) return;
    const { changes } = known;
    const beginning = this.begin(known.serverId);
    known.isListing = true;
    const listing = await relist(known.serverId, beginning.signal);
    known.isListing = false;
    const revision = this.#revision;
    beginning.end(listing);
    const isOutdated = known.changes !== changes;
    if (isOutdated || (this.#revision === revision && extentOf(listing) !== "part")) known.idle += 1;
    else if (this.#revision !== revision) known.idle = 0;
    known.nextAt = clock.now() + quietMs * 2 ** Math.min(known.idle, longestWait);
    if (isOutdated) this.#schedule(known);
  }
}

/** A listing that is under way. */
export interface PendingListing<T> {
  /** Aborts when the server is removed, or with `close()`. */
  readonly signal: AbortSignal;
  /**
   * Shows what came of it, unless a listing that began later is shown already, or the server is
   * gone; `undefined` was given up.
   */
  end(listing: EntryListing<T> | undefined): void;
}

function extentOf({ error }: Pick<EntryListing<unknown>, "error">): Extent {
  if (error === undefined) return "whole";
  return error.code === "listing_truncated" ? "limited" : "part";
}

// What failed on its way replaces nothing that is shown; what was cut at a limit replaces what was
// cut before it, and no whole list.
function replaces(extent: Extent, shown: Extent): boolean {
  return extent === shown ? extent !== "part" : extents.indexOf(extent) > extents.indexOf(shown);
}

function takeSnapshot<T>(servers: ReadonlyMap<string, Known<T>>, revision: number): ListSnapshot<T> {
  const sorted = Array.from(servers.values()).toSorted((a, b) => compareText(a.serverId, b.serverId));
  const listed = sorted.filter(({ isAwaited }) => isAwaited);
  const states = listed.map((known): ListState => {
    const { serverId, error } = known;
    return Object.freeze({ serverId, stale: known.isStale, ...(error && { error }) });
  });
  return Object.freeze({
    revision,
    entries: Object.freeze(sorted.flatMap(({ entries }) => Array.from(entries.values()))),
    servers: Object.freeze(states),
  });
}

/** The difference in the entries of one server. */
export interface EntriesDiff<T> {
  readonly added: readonly T[];
  /** As they were. */
  readonly removed: readonly T[];
  /** Still there under the same key, and not the same: as they are now. */
  readonly changed: readonly T[];
}

/**
 * Compares two lists by their keys; `undefined` when nothing changed. In the order of the lists.
 */
function diffEntries<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): EntriesDiff<T> | undefined {
  const added: T[] = [];
  const changed: T[] = [];
  for (const [key, entry] of after) {
    const known = before.get(key);
    if (known === undefined) added.push(entry);
    else if (!sameJson(known, entry)) changed.push(entry);
  }
  const removed = Array.from(before).flatMap(([key, entry]) => (after.has(key) ? [] : [entry]));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, removed, changed };
}
