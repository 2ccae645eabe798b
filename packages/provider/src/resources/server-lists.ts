import { longestTimeoutMs, type CallContext, type JsonObject, type Clock, type HostsideError } from "@hostside/core";
import {
  assertKnownOptions,
  assertNames,
  assertRequestOptions,
  isCallArguments,
  onAbort,
  readWholeNumber,
  compareText,
  isJsonObject,
  type Fields,
} from "@hostside/core/implement";
import { abortedError, removedError, timeoutError, type ResourceParts } from "./ask-server.ts";
import type { ResourceServerStatus, ResourceProvider } from "./resource-provider.ts";
import { listServer, type ListDefinition, type EntryListing, type DroppedEntry } from "./list-server.ts";
import { createLiveList, type LiveList } from "./live-list.ts";

/** Options of a request for something of the servers. */
export interface ReadOptions {
  /** Ends it everywhere, with `aborted`; a server that was asked hears of it. */
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds, connecting included. Default: as `createResources` has it. */
  readonly timeoutMs?: number | undefined;
  /** For the layers of the host: who asks, and why. Reaches no server. */
  readonly context?: CallContext | undefined;
  /** Sent to the servers as `_meta`. */
  readonly meta?: JsonObject | undefined;
}

/** Options of a list of several servers. */
export interface ListOptions extends ReadOptions {
  /** Ids of the servers to list. Default: all but those that are disabled. */
  readonly servers?: readonly string[] | undefined;
  /**
   * How long a server is waited for, in milliseconds. One that takes longer is a failure
   * (`request_timeout`), goes on within `timeoutMs`, and appears in the snapshot; until it has,
   * nobody waits for it again. Default: `listWaitMs` of `createResources`.
   */
  readonly waitMs?: number | undefined;
}

const readFields: Fields<ReadOptions> = { signal: true, timeoutMs: true, context: true, meta: true };
const listFields: Fields<ListOptions> = { ...readFields, servers: true, waitMs: true };

/**
 * Throws a `TypeError` that names what cannot be used. `owner` says whose options they are:
 * `"read()"`.
 */
export function assertReadOptions(
  owner: string,
  options: ReadOptions,
  known: Readonly<Record<string, true>> = readFields,
): void {
  assertKnownOptions(owner, options, known);
  const { signal, timeoutMs, context, meta } = options;
  assertRequestOptions({ signal, timeoutMs, context });
  if (meta !== undefined && !isCallArguments(meta)) throw new TypeError(`${owner}: meta must be an object`);
}

/** One kind of list of all servers: read when asked for, and kept up to date from then on. */
export interface ServerLists<T> extends Pick<LiveList<T>, "snapshot" | "onChanged" | "changed" | "removed" | "close"> {
  /**
   * Reads the lists of all servers at the same time. Those that fail, or do not answer in time, are
   * entries of `failures`. Throws a `TypeError` for options, `aborted` and `closed`.
   */
  list(options: ListOptions | undefined): Promise<JoinedListing<T>>;
  /** The server is there, perhaps for the first time, or as another one that has no such list. */
  ready(status: ResourceServerStatus): void;
}

/** Makes the lists of one kind. `owner` is the function whose options they take: `"list()"`. */
export function createServerLists<T>(parts: ResourceParts, kind: ListDefinition<T>, owner: string): ServerLists<T> {
  const { provider, settings, asking } = parts;
  const { clock, quietMs, listLimits: limits, listTimeoutMs, listWaitMs } = settings;
  const late = createLateServers<T>(clock);
  /** Whether somebody wanted the lists of all servers, and so those of new ones. */
  let wantsAll = false;
  const live = createLiveList<T>({
    kind,
    clock,
    quietMs,
    isOpen: () => !provider.closed,
    relist: (serverId, signal) =>
      listServer(asking, serverId, { kind, limits, timeoutMs: listTimeoutMs, signal, context: settings.context }),
  });
  // A list that is somebody else's is no part of the snapshot.
  const isShared = (serverId: string, { context, meta }: ListOptions): boolean =>
    meta === undefined &&
    context?.principal === settings.context?.principal &&
    context?.role === settings.context?.role &&
    (context?.conversation === settings.context?.conversation ||
      provider.describeServer?.(serverId)?.perCaller !== true);

  return {
    snapshot: live.snapshot,
    onChanged: live.onChanged,
    changed: live.changed,
    close: live.close,
    removed(serverId) {
      late.forget(serverId);
      live.removed(serverId);
    },
    ready(status) {
      const { id } = status;
      late.forget(id);
      if (declares(status, kind.capability) !== false) live.wake(id, wantsAll);
      else if (live.has(id)) live.begin(id).end({ serverId: id, entries: [], dropped: [] });
    },
    async list(options = {}) {
      assertReadOptions(owner, options, listFields);
      const { servers, signal, timeoutMs = listTimeoutMs, waitMs = listWaitMs, context, meta } = options;
      if (servers !== undefined) assertNames(`${owner}: servers`, servers);
      if (waitMs !== undefined)
        readWholeNumber(waitMs, `${owner}: waitMs`, { least: 1, most: longestTimeoutMs, otherwise: 1 });
      asking.assertOpen();
      if (servers === undefined) wantsAll = true;
      const registered = new Set(provider.serverIds());
      const waits = whileWaiting(signal);
      const listNow = async (serverId: string): Promise<EntryListing<T>> => {
        const isRegistered = registered.has(serverId);
        const shared = isShared(serverId, options);
        const beginning = shared && isRegistered ? live.begin(serverId) : undefined;
        const endFollowing = !shared && isRegistered ? live.follow(serverId) : undefined;
        const listing = await listServer(asking, serverId, {
          kind,
          limits,
          timeoutMs,
          signal: waits.signal,
          context,
          meta,
        });
        endFollowing?.(listing.error !== undefined && !waits.signal.aborted);
        if (beginning?.signal.aborted && listing.error === undefined) {
          return { serverId, entries: [], dropped: [], error: removedError(serverId) };
        }
        beginning?.end(waits.signal.aborted ? undefined : listing);
        return listing;
      };
      const listOne = async (serverId: string): Promise<EntryListing<T>> => {
        if (waitMs === undefined || waitMs >= timeoutMs) return listNow(serverId);
        const listing = await late.within(serverId, waitMs, () => listNow(serverId));
        const error = timeoutError({ serverId, operation: kind.method }, waitMs);
        return listing ?? { serverId, entries: [], dropped: [], error };
      };
      const ids = serversToAsk(provider, kind, servers);
      const listings = await Promise.all(ids.map((id) => listOne(id))).finally(waits.end);
      if (signal?.aborted) throw abortedError({ operation: kind.method }, "unknown", signal.reason);
      asking.assertOpen();
      return joinListings(listings);
    },
  };
}

/** A signal that ends what somebody waits for, and nothing after `end`. */
function whileWaiting(signal: AbortSignal | undefined): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController();
  const giveUp = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) giveUp();
  const stopListening = signal && onAbort(signal, giveUp);
  return { signal: stop.signal, end: () => stopListening?.() };
}

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
function createLateServers<T>(clock: Clock): LateServers<T> {
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

/** A server whose part of a list is not there, or not whole. */
export interface ServerFailure {
  readonly serverId: string;
  readonly error: HostsideError;
}

/** The lists of several servers, as one. */
export interface JoinedListing<T> {
  /** Sorted by server id, then by key. */
  readonly entries: readonly T[];
  readonly failures: readonly ServerFailure[];
  readonly dropped: readonly DroppedEntry[];
}

/**
 * The servers whose list is asked for: those that were named, or else all that may have one.
 * Sorted; each once. Left out where none was named: servers that are disabled. One that said in its
 * latest session that it has no such list is left out either way, so that it is not started for
 * that.
 */
function serversToAsk(
  provider: Pick<ResourceProvider, "serverIds" | "statuses">,
  { capability }: Pick<ListDefinition<unknown>, "capability">,
  named: readonly string[] | undefined,
): readonly string[] {
  const statuses = new Map(provider.statuses().map((status) => [status.id, status]));
  const mayHave = (id: string): boolean => {
    const status = statuses.get(id);
    if (named === undefined && status?.state === "disabled") return false;
    return status === undefined || declares(status, capability) !== false;
  };
  return Array.from(new Set(named ?? provider.serverIds()))
    .filter(mayHave)
    .toSorted(compareText);
}

/** Whether a server declares this capability; `undefined` while it has not been asked. */
function declares(
  { server }: ResourceServerStatus,
  capability: ListDefinition<unknown>["capability"],
): boolean | undefined {
  return server === undefined ? undefined : isJsonObject(server.capabilities[capability]);
}

/** Puts the listings of several servers together, in the order of their ids. */
function joinListings<T>(listings: readonly EntryListing<T>[]): JoinedListing<T> {
  const sorted = listings.toSorted((a, b) => compareText(a.serverId, b.serverId));
  return {
    entries: sorted.flatMap(({ entries }) => entries),
    failures: sorted.flatMap(({ serverId, error }) => (error === undefined ? [] : [{ serverId, error }])),
    dropped: sorted.flatMap(({ dropped }) => dropped),
  };
}
