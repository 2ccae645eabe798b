/// <reference lib="esnext.disposable" preserve="true" />
import {
  isHostsideError,
  type Event,
  type RequestOptions,
  type Resource,
  type ResourceTemplate,
  type Subscription,
} from "@hostside/core";
import {
  compareText,
  createEvent,
  isJsonObject,
  isPlainObject,
  kindOf,
  quoteText,
  tell,
} from "@hostside/core/implement";
import type { ServerStatus } from "../api/mcp-provider.ts";
import { ServerQueries, abortedError, removedError, type ResourceParts, type ResourceProvider } from "./ask-server.ts";
import { checkUri } from "./check-uri.ts";
import { resourceKind, templateKind, type DroppedEntry } from "./list-server.ts";
import type { ListChange, ListSnapshot } from "./live-list.ts";
import { createPrompts, promptKind, type Prompt, type Prompts } from "./prompts.ts";
import { ReadCache, isPart, type ResourceRead } from "./read-cache.ts";
import { readResource, type ResourceTarget } from "./read-resource.ts";
import { readResourcesOptions, requestTimeoutMs, type ResourcesOptions } from "./resources-options.ts";
import {
  ServerLists,
  assertReadOptions,
  type ListOptions,
  type ReadOptions,
  type ServerFailure,
} from "./server-lists.ts";

/** Counters of one server, since it was registered. */
export interface ServerStats {
  readonly serverId: string;
  /** Reads that were answered from the cache. */
  readonly cacheHits: number;
  /** Reads that were looked for in the cache and not found. */
  readonly cacheMisses: number;
  /** URIs that were refused because of `allowedUris`. */
  readonly refusedUris: number;
}

/** The counters. */
export interface ResourceStats {
  /** The servers that there was something to count of, sorted by id. */
  readonly servers: readonly ServerStats[];
  /** Reads in the cache now. */
  readonly cacheEntries: number;
  /** Their size. */
  readonly cacheBytes: number;
}

/**
 * The offers of one server besides tools, by its own word in its latest session. `undefined`
 * while it had none.
 */
export interface ServerOffer {
  readonly serverId: string;
  /** As the provider says: `ready`, `down`, `disabled` and so on. */
  readonly state: string;
  readonly resources: boolean | undefined;
  readonly prompts: boolean | undefined;
  readonly completions: boolean | undefined;
}

/** The resources of several servers. */
export interface ResourceListing {
  /** Sorted by server id, then by URI. */
  readonly resources: readonly Resource[];
  /**
   * Servers whose resources are not there, or not all; what was read of them before it failed is in
   * `resources`.
   */
  readonly failures: readonly ServerFailure[];
  /** Entries that could not be used. */
  readonly dropped: readonly DroppedEntry[];
}

/** The templates of several servers. */
export interface TemplateListing {
  /** Sorted by server id, then by template. */
  readonly templates: readonly ResourceTemplate[];
  /** As in {@linkcode ResourceListing}. */
  readonly failures: readonly ServerFailure[];
  readonly dropped: readonly DroppedEntry[];
}

/**
 * The resources of all servers of a provider, as one. Each request to a server goes over the
 * provider's connections, so that its layers and its reconnects hold; has one deadline, connecting
 * included; is cancelled on the wire when it is given up; and is asked once more by itself where a
 * session was lost before the answer, because reading changes nothing.
 */
export interface Resources extends Prompts, AsyncDisposable {
  /**
   * Reads the resources of all servers at the same time, all pages. A server that fails, hangs or
   * lies is an entry of `failures`, such as `request_timeout`, or `listing_truncated` beyond a
   * limit. At worst it costs `timeoutMs`, or `waitMs` where that is less, while the snapshot shows
   * the others as they come. Servers that have none are not asked. Throws a `TypeError` for
   * options, `aborted`, `closed`.
   */
  list(options?: ListOptions): Promise<ResourceListing>;
  /** The same for templates of URIs. */
  listTemplates(options?: ListOptions): Promise<TemplateListing>;
  /**
   * Reads one resource: all of it, or an error. Throws a `TypeError` for a target or options;
   * before anything is sent `unknown_server`, `not_allowed` for a URI that is not among
   * `allowedUris`, and `invalid_arguments` for a URI that is too long or has control characters;
   * `unsupported_operation` where the server has no resources; `resource_not_found` in both eras;
   * `message_too_large` beyond 8,388,608 UTF-16 units or 1,000 pieces; `protocol_error`,
   * `request_timeout`, `aborted`, `closed`, and whatever connecting failed with.
   */
  read(target: ResourceTarget, options?: ReadOptions): Promise<ResourceRead>;
  /**
   * Has `listener` called when this resource changes, or may have, until the subscription ends, the
   * server is removed, or `close()`; after a reconnect, too, which counts as a change that may have
   * been missed, and which is tried until it works while failures can pass. Resolves when the
   * server agreed, within 60,000 ms or `timeoutMs`; `signal` ends that wait. Throws as
   * {@linkcode Resources.read}, and `unsupported_operation` where the server offers no
   * subscriptions.
   */
  subscribe(target: ResourceTarget, listener: UpdateListener, options?: SubscribeOptions): Promise<Subscription>;
  /** The resources that were listed last, of every server that was. Asks nobody. */
  snapshot(): ListSnapshot<Resource>;
  /** The templates that were listed last. Asks nobody. */
  templateSnapshot(): ListSnapshot<ResourceTemplate>;
  /**
   * Fires when resources of a server came, went or changed. While somebody listens, servers that
   * were listed are listed again when they say that their lists changed, a moment after they are
   * quiet; otherwise the snapshot is stale until the next `list()`.
   */
  readonly onResourcesChanged: Event<ListChange<Resource>>;
  /** The same for templates. */
  readonly onTemplatesChanged: Event<ListChange<ResourceTemplate>>;
  /** Returns what the servers have to offer, sorted by id; nothing after `close()`. Asks nobody. */
  servers(): readonly ServerOffer[];
  /** Fires when `servers()` may have another answer. */
  readonly onServersChanged: Event<undefined>;
  /** Counters since the beginning. */
  stats(): ResourceStats;
  /** Ends everything that is under way, with `closed`; the provider stays as it is. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes the resources of a provider. Asks nobody before it is asked. Throws a `TypeError` that
 * names an option that cannot be used.
 *
 * @example
 * const resources = createResources(provider, { allowedUris: ["file"] });
 * const { contents } = await resources.read({ serverId: "files", uri: "file:///srv/a.txt" });
 */
export function createResources(provider: ResourceProvider, options: ResourcesOptions = {}): Resources {
  assertProvider(provider);
  const settings = readResourcesOptions(options);
  const asking = new ServerQueries(provider);
  const parts: ResourceParts = { provider, settings, asking };
  const resources = new ServerLists(parts, resourceKind, "list()");
  const templates = new ServerLists(parts, templateKind, "listTemplates()");
  const prompts = new ServerLists(parts, promptKind, "listPrompts()");
  const cache = new ReadCache(settings.cache);
  const counted = new Map<string, ServerStats>();
  const open = new Set<Hearing>();
  const count = (serverId: string, counter: Exclude<keyof ServerStats, "serverId">): void => {
    const before = counted.get(serverId) ?? { serverId, cacheHits: 0, cacheMisses: 0, refusedUris: 0 };
    counted.set(serverId, { ...before, [counter]: before[counter] + 1 });
  };
  const following = follow({ ...parts, resources, templates, prompts, cache, counted, open });
  const assertTarget = ({ serverId, uri }: ResourceTarget, caller: string): void => {
    asking.assertServer(caller, serverId);
    try {
      checkUri(uri, { serverId, caller, allows: settings.allows });
    } catch (error) {
      if (isHostsideError(error, "not_allowed")) count(serverId, "refusedUris");
      throw error;
    }
  };
  const close = async (): Promise<void> => following.close();

  return {
    async list(listOptions) {
      const { entries, ...rest } = await resources.list(listOptions);
      return { resources: entries, ...rest };
    },
    async listTemplates(listOptions) {
      const { entries, ...rest } = await templates.list(listOptions);
      return { templates: entries, ...rest };
    },
    async read(target, readOptions = {}) {
      if (!isPlainObject(target)) throw new TypeError(`read() needs { serverId, uri }, not ${kindOf(target)}`);
      assertReadOptions("read()", readOptions);
      assertTarget(target, "read()");
      const { serverId, uri } = target;
      const { context, meta, signal } = readOptions;
      if (signal?.aborted) throw abortedError({ serverId, operation: "resources/read" }, "not-sent", signal.reason);
      const place = { serverId, uri, context, server: provider.describeServer?.(serverId) };
      if (meta !== undefined || !cache.keeps(place)) return readResource(parts, { serverId, uri }, readOptions);
      const found = cache.get(place);
      count(serverId, found === undefined ? "cacheMisses" : "cacheHits");
      if (found !== undefined) return found;
      const keep = cache.begin(place);
      const read = await readResource(parts, { serverId, uri }, readOptions);
      keep(read);
      return read;
    },
    async subscribe(target, onUpdate, subscribeOptions = {}) {
      if (!isPlainObject(target)) throw new TypeError(`subscribe() needs { serverId, uri }, not ${kindOf(target)}`);
      if (typeof onUpdate !== "function") throw new TypeError(`subscribe() takes a listener, not ${kindOf(onUpdate)}`);
      assertReadOptions("subscribe()", subscribeOptions, { signal: true, timeoutMs: true });
      assertTarget(target, "subscribe()");
      return subscribe({ ...parts, open }, target, { ...subscribeOptions, onUpdate });
    },
    ...createPrompts(parts, prompts),
    servers() {
      const known = provider.statuses().filter(({ state }) => state !== "removed" && !following.closed);
      return known.map(readOffer).toSorted((a, b) => compareText(a.serverId, b.serverId));
    },
    onServersChanged: following.onServersChanged,
    snapshot: () => resources.snapshot(),
    templateSnapshot: () => templates.snapshot(),
    onResourcesChanged: (listener) => resources.onChanged(listener),
    onTemplatesChanged: (listener) => templates.onChanged(listener),
    stats: () => ({
      servers: Array.from(counted.values()).toSorted((a, b) => compareText(a.serverId, b.serverId)),
      cacheEntries: cache.entries,
      cacheBytes: cache.bytes,
    }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function readOffer({ id, state, server }: ServerStatus): ServerOffer {
  const has = (capability: string): boolean | undefined =>
    server === undefined ? undefined : isJsonObject(server.capabilities[capability]);
  return {
    serverId: id,
    state,
    resources: has("resources"),
    prompts: has("prompts"),
    completions: has("completions"),
  };
}

interface Followers extends ResourceParts {
  readonly resources: ServerLists<Resource>;
  readonly templates: ServerLists<ResourceTemplate>;
  readonly prompts: ServerLists<Prompt>;
  readonly cache: ReadCache;
  readonly counted: Map<string, ServerStats>;
  readonly open: Set<Hearing>;
}

interface Following extends Pick<Resources, "onServersChanged"> {
  readonly closed: boolean;
  close(): void;
}

/** Goes by what happens to the servers of a provider, until one of both is closed. */
function follow({ provider, asking, resources, templates, prompts, cache, counted, open }: Followers): Following {
  const lists = [resources, templates, prompts];
  const serversChanged = createEvent<undefined>();
  let closed = false;
  const close = (): void => {
    if (closed) return;
    closed = true;
    for (const end of following) end();
    asking.close();
    for (const hearing of Array.from(open)) hearing.end();
    for (const list of lists) list.close();
    cache.clear();
    serversChanged.emit(undefined);
    serversChanged.close();
  };
  const ready = new Set<string>(provider.statuses().flatMap(({ id, state }) => (state === "ready" ? [id] : [])));
  const onStatus = (status: ServerStatus): void => {
    const { id, state } = status;
    if (state === "ready") {
      if (ready.has(id)) return;
      ready.add(id);
      for (const list of lists) list.ready(status);
      return;
    }
    // What was kept is of a session, credentials or a registration that there may be no more.
    if (ready.delete(id) || state === "removed") cache.forgetServer(id);
    if (state !== "removed") return;
    counted.delete(id);
    // The next registration by this id is another server.
    for (const hearing of Array.from(open)) if (hearing.serverId === id) hearing.end();
    for (const list of lists) list.removed(id);
  };
  const following = [
    provider.onResourcesChanged(({ serverId }) => {
      cache.forgetServer(serverId);
      for (const list of [resources, templates]) list.changed(serverId);
    }),
    provider.onPromptsChanged(({ serverId }) => prompts.changed(serverId)),
    provider.onClosed(close),
    provider.onResourceUpdated(({ serverId, uri }) => cache.forgetResource(serverId, uri)),
    provider.onStatusChanged((status) => {
      onStatus(status);
      serversChanged.emit(undefined);
    }),
  ];
  return {
    get closed() {
      return closed;
    },
    close,
    onServersChanged: serversChanged.on,
  };
}

function assertProvider(provider: ResourceProvider | null | undefined): void {
  if (typeof provider?.statuses === "function" && typeof provider.connection === "function") return;
  throw new TypeError(`createResources() needs a provider, such as createProvider() makes, not ${kindOf(provider)}`);
}

/** A resource that is subscribed to changed, or may have. */
export interface SubscribedUpdate {
  readonly serverId: string;
  /** The URI that was subscribed to. */
  readonly uri: string;
  /** The URI that the server named: the same, or a part of it. Untrusted. */
  readonly updatedUri: string;
  /**
   * The session was away, so that nobody knows whether and how often it changed: read it again.
   * `false` where the server said that it changed, or a stream on which it would have said so was
   * interrupted.
   */
  readonly maybeMissed: boolean;
}

/**
 * Hears of updates. A listener that throws is reported as uncaught, and does not stop the others. A
 * promise that it returns is not awaited; if it rejects, that is a diagnostic.
 */
export type UpdateListener = (update: SubscribedUpdate) => unknown;

type SubscribeOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

/** Somebody who hears of a resource, or will when the server agrees. */
export interface Hearing {
  readonly serverId: string;
  /** Hears no more, and ends the subscription if there is one. Idempotent. */
  end(): void;
}

/** Subscribes, and is in `open` until that ends. */
export async function subscribe(
  { provider, asking, settings, open }: ResourceParts & { readonly open: Set<Hearing> },
  { serverId, uri }: ResourceTarget,
  { onUpdate, signal: given, timeoutMs = requestTimeoutMs }: SubscribeOptions & { readonly onUpdate: UpdateListener },
): Promise<Subscription> {
  let agreed: Subscription | undefined;
  // Before the server agrees: the first update may come together with its word.
  const unhear = provider.onResourceUpdated((update) => {
    if (update.serverId !== serverId || !isPart(update.uri, uri)) return;
    const answer = onUpdate({ serverId, uri, updatedUri: update.uri, maybeMissed: update.maybeMissed === true });
    // A rejection that nobody takes would end the process.
    Promise.resolve(answer).catch((reason: unknown) => {
      const message = `a listener of resource ${quoteText(uri)} of server ${JSON.stringify(serverId)} rejected: ${nameOf(reason)}`;
      tell(settings.onDiagnostic, { kind: "defect", serverId, message });
    });
  });
  const end = (): void => {
    open.delete(hearing);
    unhear();
    agreed?.();
  };
  const hearing: Hearing = { serverId, end };
  open.add(hearing);
  const question = { serverId, operation: "resources/subscribe", timeoutMs, signal: given };
  let pending: Promise<Subscription> | undefined;
  try {
    agreed = await asking.run(question, ({ deadline: { signal }, sending }) => {
      sending();
      pending = provider.subscribeResource(serverId, uri, { signal });
      return pending;
    });
    if (!open.has(hearing)) throw removedError(serverId);
    return Object.assign(end, { [Symbol.dispose]: end });
  } catch (reason) {
    end();
    // What comes too late is ended at once.
    pending?.then(
      (late) => late(),
      () => undefined,
    );
    throw reason;
  }
}

/** Names the kind of an error. Its message may hold what nobody should read. */
function nameOf(reason: unknown): string {
  const name = isHostsideError(reason) ? reason.code : reason instanceof Error ? reason.name : "";
  return /^\w{1,40}$/.test(name) ? name : "an unknown reason";
}
