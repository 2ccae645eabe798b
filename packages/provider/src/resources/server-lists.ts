import { longestTimeoutMs, type CallContext, type HostsideError, type JsonObject } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  assertNames,
  assertRequestOptions,
  compareText,
  isCallArguments,
  isJsonObject,
  onAbort,
  readWholeNumber,
  resultWithin,
  type Fields,
} from "@hostside/core/implement";
import type { ServerStatus } from "../api/mcp-provider.ts";
import { abortedError, removedError, timeoutError, type ResourceParts, type ResourceProvider } from "./ask-server.ts";
import { listServer, type DroppedEntry, type EntryListing, type ListDefinition } from "./list-server.ts";
import { LiveList } from "./live-list.ts";
import { listTimeoutMs } from "./resources-options.ts";

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
   * How long a server is waited for, in milliseconds. A server that takes longer is a failure
   * (`request_timeout`). Its listing continues within `timeoutMs`, and appears in the snapshot.
   * Until it has, nobody waits for it again. Default: 5,000.
   */
  readonly waitMs?: number | undefined;
}

// As long as the gateway and the discovery tools wait for servers: one that hangs is no reason to
// show none of the others.
const usualWaitMs = 5000;

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

interface Late {
  /** When it was waited for first. */
  readonly since: number;
  /** Listings of it for which nobody waits. */
  underWay: number;
}

/**
 * One kind of list of all servers: read when asked for, and kept up to date from then on. `owner`
 * is the function whose options they take: `"list()"`.
 */
export class ServerLists<T> extends LiveList<T> {
  readonly #parts: ResourceParts;
  readonly #kind: ListDefinition<T>;
  readonly #owner: string;
  /** Says whether somebody wanted the lists of all servers, and so those of new ones. */
  #wantsAll = false;
  /** Servers that were waited for as long as somebody waits, and did not list. */
  readonly #late = new Map<string, Late>();

  constructor(parts: ResourceParts, kind: ListDefinition<T>, owner: string) {
    const { provider, asking } = parts;
    super({
      kind,
      isOpen: () => !provider.closed,
      relist: (serverId, signal) => listServer(asking, serverId, { kind, timeoutMs: listTimeoutMs, signal }),
    });
    this.#parts = parts;
    this.#kind = kind;
    this.#owner = owner;
  }

  override removed(serverId: string): void {
    this.#late.delete(serverId);
    super.removed(serverId);
  }

  /** The server is there, perhaps for the first time, or as another one that has no such list. */
  ready(status: ServerStatus): void {
    const { id } = status;
    this.#late.delete(id);
    if (declares(status, this.#kind.capability) !== false) this.wake(id, this.#wantsAll);
    else if (this.has(id)) this.begin(id).end({ serverId: id, entries: [], dropped: [] });
  }

  /**
   * Reads the lists of all servers at the same time. Servers that fail, or do not answer in time,
   * are entries of `failures`. Throws a `TypeError` for options, `aborted` and `closed`.
   */
  async list(options: ListOptions = {}): Promise<JoinedListing<T>> {
    const { provider, asking } = this.#parts;
    const owner = this.#owner;
    assertReadOptions(owner, options, listFields);
    const { servers, signal, timeoutMs = listTimeoutMs, waitMs = usualWaitMs } = options;
    if (servers !== undefined) assertNames(`${owner}: servers`, servers);
    readWholeNumber(waitMs, `${owner}: waitMs`, { least: 1, most: longestTimeoutMs, otherwise: usualWaitMs });
    asking.assertOpen();
    if (servers === undefined) this.#wantsAll = true;
    const registered = new Set(provider.serverIds());
    // Ends what somebody waits for, and nothing after that.
    const stop = new AbortController();
    const giveUp = (): void => stop.abort(signal?.reason);
    if (signal?.aborted) giveUp();
    const stopListening = signal && onAbort(signal, giveUp);
    const listOne = async (serverId: string): Promise<EntryListing<T>> => {
      const now = { ...options, timeoutMs, signal: stop.signal };
      const list = (): Promise<EntryListing<T>> => this.#listNow(serverId, now, registered.has(serverId));
      if (waitMs >= timeoutMs) return list();
      const error = timeoutError({ serverId, operation: this.#kind.method }, waitMs);
      return (await this.#within(serverId, waitMs, list)) ?? { serverId, entries: [], dropped: [], error };
    };
    const ids = serversToAsk(provider, this.#kind, servers);
    const listings = await Promise.all(ids.map((id) => listOne(id))).finally(() => stopListening?.());
    if (signal?.aborted) throw abortedError({ operation: this.#kind.method }, "unknown", signal.reason);
    asking.assertOpen();
    return joinListings(listings);
  }

  async #listNow(
    serverId: string,
    { timeoutMs, signal, context, meta }: ListOptions & { readonly timeoutMs: number; readonly signal: AbortSignal },
    isRegistered: boolean,
  ): Promise<EntryListing<T>> {
    const shared = meta === undefined && this.#isShared(serverId, context);
    const beginning = shared && isRegistered ? this.begin(serverId) : undefined;
    const endFollowing = !shared && isRegistered ? this.follow(serverId) : undefined;
    const request = { kind: this.#kind, timeoutMs, signal, context, meta };
    const listing = await listServer(this.#parts.asking, serverId, request);
    endFollowing?.(listing.error !== undefined && !signal.aborted);
    if (beginning?.signal.aborted && listing.error === undefined) {
      return { serverId, entries: [], dropped: [], error: removedError(serverId) };
    }
    beginning?.end(signal.aborted ? undefined : listing);
    return listing;
  }

  // A list that is somebody else's is no part of the snapshot.
  #isShared(serverId: string, context: CallContext | undefined): boolean {
    const { provider } = this.#parts;
    const { principal, role, conversation } = context ?? {};
    const isOwn = role === undefined && (principal === undefined || principal === provider.principal);
    return isOwn && (conversation === undefined || provider.describeServer?.(serverId)?.perCaller !== true);
  }

  /**
   * Returns what `list` brings, or `undefined` when that takes longer than `waitMs` since a server
   * was waited for first: then it goes on, and who asks again waits for it no more until it has
   * listed, or is ready. `list` must not reject.
   */
  async #within(
    serverId: string,
    waitMs: number,
    list: () => Promise<EntryListing<T>>,
  ): Promise<EntryListing<T> | undefined> {
    const known = this.#late.get(serverId);
    const since = known?.since ?? clock.now();
    const leftMs = since + waitMs - clock.now();
    if (known !== undefined && leftMs <= 0) {
      if (known.underWay === 0) void this.#goOn(serverId, known, list());
      return undefined;
    }
    const listing = list();
    const first = await resultWithin(listing, leftMs);
    if (first === undefined) {
      const now = this.#late.get(serverId) ?? { since, underWay: 0 };
      this.#late.set(serverId, now);
      void this.#goOn(serverId, now, listing);
    } else if (first.error === undefined) this.#late.delete(serverId);
    return first;
  }

  async #goOn(serverId: string, known: Late, listing: Promise<EntryListing<T>>): Promise<void> {
    known.underWay += 1;
    const { error } = await listing;
    known.underWay -= 1;
    if (error === undefined && this.#late.get(serverId) === known) this.#late.delete(serverId);
  }
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
 * Sorted; each once. Left out where none was named: servers that are disabled. A server that said
 * in its latest session that it has no such list is left out either way, so that it is not started
 * for that.
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

/** Says whether a server declares this capability; `undefined` while it has not been asked. */
function declares({ server }: ServerStatus, capability: ListDefinition<unknown>["capability"]): boolean | undefined {
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
