import type { Event } from "@hostside/core";
import { compareText, createEvent, isJsonObject } from "@hostside/core/implement";
import type { ResourceProvider, ResourceServerStatus } from "../resource-provider.ts";

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
