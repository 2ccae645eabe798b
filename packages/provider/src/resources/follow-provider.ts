import type { Cancel, Event } from "@hostside/core";
import type { ServerLists } from "./server-lists.ts";
import type { ReadCache } from "./read-cache.ts";
import type { ReadStats } from "./read-stats.ts";
import type { ResourceProvider, ResourceServerStatus } from "./resource-provider.ts";
import type { OpenSubscriptions } from "./subscriptions.ts";
import { compareText, createEvent, isJsonObject } from "@hostside/core/implement";

/** Who goes by what happens to servers. */
export interface Followers {
  /** The lists of resources and of templates. */
  readonly lists: readonly Pick<ServerLists<unknown>, "changed" | "removed" | "ready">[];
  /** Those of prompts. */
  readonly promptLists: Followers["lists"];
  readonly cache: ReadCache;
  readonly stats: ReadStats;
  readonly subscriptions: Pick<OpenSubscriptions, "removed">;
  /** The provider is closed, and with it everything here. */
  readonly onClosed: () => void;
}

/** Hands on what a provider reports, until the returned function is called. */
export function followProvider(provider: ResourceProvider, followers: Followers): Cancel {
  const { lists, promptLists, cache, stats, subscriptions, onClosed } = followers;
  const all = [...lists, ...promptLists];
  const ready = new Set<string>(provider.statuses().flatMap(({ id, state }) => (state === "ready" ? [id] : [])));
  const following = [
    provider.onResourcesChanged(({ serverId }) => {
      cache.forgetServer(serverId);
      for (const list of lists) list.changed(serverId);
    }),
    provider.onPromptsChanged(({ serverId }) => {
      for (const list of promptLists) list.changed(serverId);
    }),
    provider.onClosed(onClosed),
    provider.onResourceUpdated(({ serverId, uri }) => cache.forgetResource(serverId, uri)),
    provider.onStatusChanged((status) => {
      const { id, state } = status;
      if (state === "ready") {
        if (ready.has(id)) return;
        ready.add(id);
        for (const list of all) list.ready(status);
        return;
      }
      // What was kept is of a session, credentials or a registration that there may be no more.
      if (ready.delete(id) || state === "removed") cache.forgetServer(id);
      if (state !== "removed") return;
      stats.removed(id);
      subscriptions.removed(id);
      for (const list of all) list.removed(id);
    }),
  ];
  return () => {
    for (const end of following) end();
  };
}

/**
 * What one server has to offer besides tools, by its own word in its latest session. `undefined`
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

/** What the servers of a provider have to offer. */
export interface ServerOffers {
  /** Sorted by id; none after `close()`. Asks nobody. */
  readonly servers: () => readonly ServerOffer[];
  /** Fires when `servers()` may have another answer. */
  readonly onServersChanged: Event<undefined>;
}

/** Follows the provider until it is closed. */
export function createServerOffers(
  provider: Pick<ResourceProvider, "statuses" | "onStatusChanged">,
): ServerOffers & { close(): void } {
  const source = createEvent<undefined>();
  const unfollow = provider.onStatusChanged(() => source.emit(undefined));
  let closed = false;
  return {
    servers() {
      if (closed) return [];
      const known = provider.statuses().filter(({ state }) => state !== "removed");
      return known.map(readOffer).toSorted((a, b) => compareText(a.serverId, b.serverId));
    },
    onServersChanged: source.on,
    close() {
      if (closed) return;
      closed = true;
      unfollow();
      source.emit(undefined);
      source.close();
    },
  };
}

function readOffer({ id, state, server }: ResourceServerStatus): ServerOffer {
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
