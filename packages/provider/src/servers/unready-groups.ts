import type { UnreadyGroup } from "@hostside/core";
import type { ProviderCatalog } from "../catalog/catalog.ts";
import type { ServerStatus } from "./server-status.ts";

/**
 * The groups of servers that are not ready, in the order of `statuses`. Neither those that the host
 * turned off, nor those whose session ended because nobody used it: the next call of their tools
 * goes out as any other.
 */
export function unreadyGroups(
  providerName: string,
  statuses: readonly ServerStatus[],
  catalog: ProviderCatalog,
): readonly UnreadyGroup[] {
  return statuses.flatMap(({ id, title: claimed, state, error }) => {
    const known = catalog.servers.get(id);
    // Of a server whose tools are all held back the model reads no word of its own.
    const title = (known === undefined ? claimed : (known.group?.title ?? known.listing.spec.title)) ?? id;
    const isIdle = state === "idle" && known !== undefined;
    if (isIdle || state === "ready" || state === "disabled" || state === "removed") return [];
    return {
      id: `${providerName}:${id}`,
      title,
      serverId: id,
      state,
      ...(error !== undefined && { code: error.code }),
    };
  });
}
