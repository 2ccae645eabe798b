import type { HostsideError } from "@hostside/core";
import { compareText, isJsonObject } from "@hostside/core/implement";
import type { ResourceProvider, ResourceServerStatus } from "../resource-provider.ts";
import type { DroppedEntry, ListDefinition } from "./list-kind.ts";
import type { EntryListing } from "./read-pages.ts";

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
export function serversToAsk(
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
export function declares(
  { server }: ResourceServerStatus,
  capability: ListDefinition<unknown>["capability"],
): boolean | undefined {
  return server === undefined ? undefined : isJsonObject(server.capabilities[capability]);
}

/** Puts the listings of several servers together, in the order of their ids. */
export function joinListings<T>(listings: readonly EntryListing<T>[]): JoinedListing<T> {
  const sorted = listings.toSorted((a, b) => compareText(a.serverId, b.serverId));
  return {
    entries: sorted.flatMap(({ entries }) => entries),
    failures: sorted.flatMap(({ serverId, error }) => (error === undefined ? [] : [{ serverId, error }])),
    dropped: sorted.flatMap(({ dropped }) => dropped),
  };
}
