/// <reference lib="esnext.disposable" preserve="true" />
import type { Event, Subscription } from "@hostside/core";
import { isPlainObject, kindOf, unknownServerError } from "@hostside/core/implement";
import { createServerQueries, abortedError, type ResourceParts } from "./ask-server.ts";
import { resourceKind, templateKind, type DroppedEntry } from "./list-server.ts";
import {
  assertReadOptions,
  createServerLists,
  type ServerFailure,
  type ListOptions,
  type ReadOptions,
} from "./server-lists.ts";
import type { ListChange, ListSnapshot } from "./live-list.ts";
import { checkUri } from "./check-uri.ts";
import { createReadCache, type ResourceRead } from "./read-cache.ts";
import { readResource, type ResourceTarget } from "./read-resource.ts";
import { createReadStats, type ResourceStats } from "./read-stats.ts";
import type { Resource, ResourceTemplate } from "@hostside/core";
import { createPrompts, type Prompts } from "./create-prompts.ts";
import type { ResourceProvider } from "./resource-provider.ts";
import { readResourcesOptions, type ResourcesOptions } from "./resources-options.ts";
import { followProvider, createServerOffers, type ServerOffers } from "./follow-provider.ts";
import {
  createOpenSubscriptions,
  readSubscribeOptions,
  type SubscribeOptions,
  type UpdateListener,
} from "./subscriptions.ts";

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
 * The resources of all servers of a provider, as one. Whatever is asked of a server goes over the
 * provider's connections, so that its layers and its reconnects hold; has one deadline, connecting
 * included; is cancelled on the wire when it is given up; and is asked once more by itself where a
 * session was lost before the answer, because reading changes nothing.
 */
export interface Resources extends Prompts, ServerOffers, AsyncDisposable {
  /**
   * Reads the resources of all servers at the same time, all pages. One that fails, hangs or lies
   * is an entry of `failures`, such as `request_timeout`, or `listing_truncated` beyond a limit: at
   * worst it costs `timeoutMs`, or `waitMs` where that is less, while the snapshot shows the others
   * as they come. Servers that have none are not asked. Throws a `TypeError` for options,
   * `aborted`, `closed`.
   */
  list(options?: ListOptions): Promise<ResourceListing>;
  /** The same for templates of URIs. */
  listTemplates(options?: ListOptions): Promise<TemplateListing>;
  /**
   * Reads one resource: all of it, or an error. Throws a `TypeError` for a target or options;
   * before anything is sent `unknown_server`, `not_allowed` for a URI that is not among
   * `allowedUris`, and `invalid_arguments` for a URI that is too long or has control characters;
   * `unsupported_operation` where the server has no resources; `resource_not_found` in both eras;
   * `message_too_large` beyond `maxContentLength`; `protocol_error`, `request_timeout`, `aborted`,
   * `closed`, and whatever connecting failed with.
   */
  read(target: ResourceTarget, options?: ReadOptions): Promise<ResourceRead>;
  /**
   * Has `listener` called when this resource changes, or may have, until the subscription ends, the
   * server is removed, or `close()`; after a reconnect, too, which counts as a change that may have
   * been missed, and which is tried until it works while failures can pass. Resolves when the
   * server agreed. Throws as {@linkcode Resources.read}, and `unsupported_operation` where the
   * server offers no subscriptions.
   */
  subscribe(serverId: string, uri: string, listener: UpdateListener | SubscribeOptions): Promise<Subscription>;
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
  /** Counters since the beginning. */
  stats(): ResourceStats;
  /** Ends everything that is under way, with `closed`; the provider stays as it is. Idempotent. */
  close(): Promise<void>;
}

/**
 * Makes the resources of a provider. Asks nobody before it is asked. Throws a `TypeError` that
 * names an option that cannot be used.
 */
export function createResources(provider: ResourceProvider, options: ResourcesOptions = {}): Resources {
  assertProvider(provider);
  const settings = readResourcesOptions(options);
  const { allows, clock } = settings;
  const asking = createServerQueries({ provider, clock });
  const parts: ResourceParts = { provider, settings, asking };
  const resources = createServerLists(parts, resourceKind, "list()");
  const templates = createServerLists(parts, templateKind, "listTemplates()");
  const cache = createReadCache(settings.cache, clock);
  const stats = createReadStats(cache);
  const { list: promptList, prompts } = createPrompts(parts);
  const lists = [resources, templates];
  const subscriptions = createOpenSubscriptions(parts);
  const offers = createServerOffers(provider);
  const closeAll = (): void => {
    unfollow();
    asking.close();
    subscriptions.close();
    for (const list of [...lists, promptList]) list.close();
    cache.clear();
    offers.close();
  };
  const followers = { lists, promptLists: [promptList], cache, stats, subscriptions, onClosed: closeAll };
  const unfollow = followProvider(provider, followers);

  const assertTarget = (target: ResourceTarget, caller: string): void => {
    const { serverId, uri } = target;
    if (typeof serverId !== "string")
      throw new TypeError(`${caller} needs the id of a server, not ${kindOf(serverId)}`);
    asking.assertOpen();
    const ids = provider.serverIds();
    if (!ids.includes(serverId)) throw unknownServerError(serverId, ids);
    stats.countRefusals(serverId, () => checkUri(uri, { serverId, caller, allows }));
  };
  const close = async (): Promise<void> => closeAll();

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
      stats.countCached(serverId, found !== undefined);
      if (found !== undefined) return found;
      const keep = cache.begin(place);
      const read = await readResource(parts, { serverId, uri }, readOptions);
      keep(read);
      return read;
    },
    async subscribe(serverId, uri, given) {
      // First, because whoever hands over a target as one object has no listener in its place
      // either.
      if (typeof serverId !== "string")
        throw new TypeError(`subscribe() needs the id of a server as its first argument, not ${kindOf(serverId)}`);
      const subscribeOptions = readSubscribeOptions(given);
      assertTarget({ serverId, uri }, "subscribe()");
      return subscriptions.subscribe({ serverId, uri }, subscribeOptions);
    },
    ...prompts,
    servers: offers.servers,
    onServersChanged: offers.onServersChanged,
    snapshot: resources.snapshot,
    templateSnapshot: templates.snapshot,
    onResourcesChanged: resources.onChanged,
    onTemplatesChanged: templates.onChanged,
    stats: stats.read,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function assertProvider(provider: ResourceProvider | null | undefined): void {
  if (typeof provider?.statuses === "function" && typeof provider.connection === "function") return;
  throw new TypeError(`createResources() needs a provider, such as createProvider() makes, not ${kindOf(provider)}`);
}
