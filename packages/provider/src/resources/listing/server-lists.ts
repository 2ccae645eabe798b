import { longestTimeoutMs, type CallContext, type JsonObject } from "@hostside/core";
import {
  assertKnownOptions,
  assertNames,
  assertRequestOptions,
  isCallArguments,
  onAbort,
  type Fields,
  readWholeNumber,
} from "@hostside/core/implement";
import { abortedError, removedError, timeoutError } from "../asking/ask-errors.ts";
import type { ResourceParts } from "../resource-parts.ts";
import type { ResourceServerStatus } from "../resource-provider.ts";
import type { ListDefinition } from "./list-kind.ts";
import { declares, joinListings, serversToAsk, type JoinedListing } from "./list-servers.ts";
import { createLateServers } from "./late-servers.ts";
import { listServer } from "./list-server.ts";
import { createLiveList, type LiveList } from "./live-list.ts";
import type { EntryListing } from "./read-pages.ts";

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
