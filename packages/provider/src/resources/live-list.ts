import type { Cancel, Clock, Event, HostsideError } from "@hostside/core";
import { compareText, createEvent, freezeData, sameJson, type EventSource } from "@hostside/core/implement";
import type { ListDefinition, EntryListing } from "./list-server.ts";

/** What changed on one server. */
export interface ListChange<T> extends EntriesDiff<T> {
  readonly serverId: string;
  /** Of the snapshot that shows it. */
  readonly revision: number;
}

/** What is known of one server's list. */
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
  /** Of the servers that were listed, sorted by id. */
  readonly servers: readonly ListState[];
}

/** One kind of list of all servers, kept up to date. */
export interface LiveList<T> {
  readonly snapshot: () => ListSnapshot<T>;
  /**
   * Fires after a new snapshot is in place, for one server each. While somebody listens, lists that
   * may have changed are read again.
   */
  readonly onChanged: Event<ListChange<T>>;
  /** A listing of this server begins; what it brings is given to {@linkcode PendingListing.end}. */
  readonly begin: (serverId: string) => PendingListing<T>;
  /** Whether a listing of this server ever began. */
  has(serverId: string): boolean;
  /**
   * The list is read for somebody alone: nothing of it is shown, and it is not read here until it
   * changes. What is returned is called when that listing has ended; where it failed, the list is
   * read here as soon as it can be.
   */
  follow(serverId: string): (hasFailed: boolean) => void;
  /**
   * The server is there: what is not known of it, or stale, is read unless that is under way. One
   * that is new counts with `isWanted`.
   */
  wake(serverId: string, isWanted: boolean): void;
  /** The server said that the list changed, or may have. */
  readonly changed: (serverId: string) => void;
  /** The registration has ended: its entries are gone at once. */
  readonly removed: (serverId: string) => void;
  readonly close: () => void;
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

/** What a live list needs. */
export interface LiveListInit<T> {
  readonly kind: Pick<ListDefinition<T>, "keyOf">;
  readonly clock: Clock;
  readonly quietMs: number;
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

interface Known<T> {
  readonly serverId: string;
  readonly gone: AbortController;
  entries: ReadonlyMap<string, T>;
  /** How much of the list is shown. */
  extent: Extent;
  /** Whether somebody wants it to be shown: not while it was only read for somebody alone. */
  isAwaited: boolean;
  error: HostsideError | undefined;
  /** Number of the listing that is shown. */
  shown: number;
  /**
   * How often the server announced a change, and how often it had when the listing that is shown
   * began.
   */
  changes: number;
  changesShown: number;
  cancelTimer: Cancel | undefined;
  /** When the first of the changes came that the timer waits for. */
  firstAt: number | undefined;
  isListing: boolean;
  /** Listings that have not ended, its own and others. */
  underWay: number;
  /** How many listings in a row the server announced a change in. */
  unquiet: number;
  /**
   * How many listings in a row that it announced showed nothing else, and when the next one may be.
   */
  idle: number;
  nextAt: number;
}

/**
 * A server that announces a change in each of so many listings is left alone until somebody asks
 * for its list.
 */
const mostUnquiet = 5;

/**
 * One that announces changes of a list that stays as it is waits twice as long after each listing,
 * up to quietMs times 2 to this power.
 */
const longestWait = 8;

/**
 * Makes one; it knows of no server until a listing of it begins. A burst of changes becomes one
 * listing, when the server has been quiet; one that fails keeps what was there, marked stale, and
 * so does one that reached a limit where a whole one is there.
 */
export function createLiveList<T>(init: LiveListInit<T>): LiveList<T> {
  const source = createEvent<ListChange<T>>();
  const servers = new Map<string, Known<T>>();
  const live: Live<T> = { ...init, source, servers, snapshot: undefined, revision: 0, begun: 0, closed: false };
  return {
    snapshot: () => (live.snapshot ??= takeSnapshot(live)),
    onChanged(listener) {
      const subscription = source.on(listener);
      for (const known of servers.values()) if (known.cancelTimer === undefined) schedule(live, known);
      return subscription;
    },
    begin: (serverId) => begin(live, serverId),
    has: (serverId) => servers.has(serverId),
    follow(serverId) {
      const isNew = !servers.has(serverId);
      const known = knownOf(live, serverId);
      if (isNew) known.isAwaited = false;
      known.underWay += 1;
      return (hasFailed) => {
        known.underWay -= 1;
        if (!hasFailed) return;
        known.isAwaited = true;
        schedule(live, known);
      };
    },
    wake(serverId, isWanted) {
      const known = isWanted ? knownOf(live, serverId) : servers.get(serverId);
      if (known?.underWay !== 0) return;
      known.isAwaited ||= isWanted;
      known.nextAt = 0;
      schedule(live, known);
    },
    changed(serverId) {
      const known = servers.get(serverId);
      if (known === undefined) return;
      live.snapshot = undefined;
      known.changes += 1;
      known.isAwaited ||= live.source.hasListeners;
      if (!known.isListing) known.unquiet = 0;
      schedule(live, known);
    },
    removed(serverId) {
      const known = servers.get(serverId);
      if (known === undefined) return;
      servers.delete(serverId);
      forget(known);
      show(live, known, new Map());
    },
    close() {
      live.closed = true;
      live.snapshot = undefined;
      source.close();
      for (const known of servers.values()) forget(known);
      servers.clear();
    },
  };
}

interface Live<T> extends LiveListInit<T> {
  readonly source: EventSource<ListChange<T>>;
  readonly servers: Map<string, Known<T>>;
  snapshot: ListSnapshot<T> | undefined;
  revision: number;
  /** Listings that ever began. */
  begun: number;
  closed: boolean;
}

function knownOf<T>(live: Live<T>, serverId: string): Known<T> {
  const { servers, closed } = live;
  let known = servers.get(serverId);
  if (known !== undefined) return known;
  known = createKnown<T>(serverId);
  live.snapshot = undefined;
  if (!closed) servers.set(serverId, known);
  return known;
}

function isCurrent<T>({ closed, servers }: Live<T>, known: Known<T>): boolean {
  return !closed && servers.get(known.serverId) === known;
}

function begin<T>(live: Live<T>, serverId: string): PendingListing<T> {
  const known = knownOf(live, serverId);
  const { changes } = known;
  known.isAwaited = true;
  live.begun += 1;
  const number = live.begun;
  known.underWay += 1;
  return {
    signal: known.gone.signal,
    end(listing) {
      known.underWay -= 1;
      if (listing === undefined || !isCurrent(live, known) || number < known.shown) return;
      live.snapshot = undefined;
      known.error = listing.error;
      const extent = extentOf(listing);
      if (!replaces(extent, known.extent)) return;
      known.shown = number;
      known.changesShown = changes;
      known.extent = extent;
      show(live, known, new Map(listing.entries.map((entry) => [live.kind.keyOf(entry), freezeData(entry)])));
    },
  };
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

function show<T>(live: Live<T>, known: Known<T>, entries: ReadonlyMap<string, T>): void {
  live.snapshot = undefined;
  const diff = diffEntries(known.entries, entries);
  known.entries = entries;
  if (diff === undefined) return;
  live.revision += 1;
  live.source.emit(Object.freeze({ serverId: known.serverId, revision: live.revision, ...diff }));
}

function schedule<T>(live: Live<T>, known: Known<T>): void {
  const { source, clock, quietMs } = live;
  if (!isCurrent(live, known) || !source.hasListeners || known.isListing || !isStale(known)) return;
  const now = clock.now();
  known.firstAt ??= now;
  const latestMs = known.firstAt + quietMs * 10 - now;
  known.cancelTimer?.();
  const delayMs = Math.max(0, known.nextAt - now, Math.min(quietMs, latestMs));
  known.cancelTimer = clock.schedule(delayMs, () => void readAgain(live, known));
}

async function readAgain<T>(live: Live<T>, known: Known<T>): Promise<void> {
  known.cancelTimer = undefined;
  known.firstAt = undefined;
  if (!isCurrent(live, known) || !live.isOpen() || !isStale(known)) return;
  const { changes } = known;
  const beginning = begin(live, known.serverId);
  known.isListing = true;
  const listing = await live.relist(known.serverId, beginning.signal);
  known.isListing = false;
  const { revision } = live;
  beginning.end(listing);
  if (live.revision !== revision) known.idle = 0;
  else if (extentOf(listing) !== "part") known.idle += 1;
  known.nextAt = live.clock.now() + live.quietMs * 2 ** Math.min(known.idle, longestWait);
  if (known.changes === changes) {
    known.unquiet = 0;
    return;
  }
  known.unquiet += 1;
  if (known.unquiet < mostUnquiet) schedule(live, known);
}

function createKnown<T>(serverId: string): Known<T> {
  return {
    serverId,
    gone: new AbortController(),
    entries: new Map(),
    extent: "none",
    isAwaited: true,
    error: undefined,
    shown: 0,
    changes: 0,
    changesShown: 0,
    cancelTimer: undefined,
    firstAt: undefined,
    isListing: false,
    underWay: 0,
    unquiet: 0,
    idle: 0,
    nextAt: 0,
  };
}

function forget<T>({ gone, cancelTimer }: Known<T>): void {
  cancelTimer?.();
  gone.abort();
}

function isStale<T>({ changes, changesShown, error, extent, isAwaited }: Known<T>): boolean {
  return changes !== changesShown || error !== undefined || (extent === "none" && isAwaited);
}

function takeSnapshot<T>({ servers, revision }: Live<T>): ListSnapshot<T> {
  const sorted = Array.from(servers.values()).toSorted((a, b) => compareText(a.serverId, b.serverId));
  const listed = sorted.filter(({ isAwaited }) => isAwaited);
  const states = listed.map((known): ListState => {
    const { serverId, error } = known;
    return Object.freeze({ serverId, stale: isStale(known), ...(error && { error }) });
  });
  return Object.freeze({
    revision,
    entries: Object.freeze(sorted.flatMap(({ entries }) => Array.from(entries.values()))),
    servers: Object.freeze(states),
  });
}

/** What became of the entries of one server. */
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
    else if (!isSame(known, entry)) changed.push(entry);
  }
  const removed = Array.from(before).flatMap(([key, entry]) => (after.has(key) ? [] : [entry]));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, removed, changed };
}

// What is nested too deep to be compared counts as changed.
function isSame(a: unknown, b: unknown): boolean {
  try {
    return sameJson(a, b);
  } catch {
    return false;
  }
}
