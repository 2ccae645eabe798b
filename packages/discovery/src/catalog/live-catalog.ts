import { createEvent, type Event, type Subscription, type ToolsChange } from "@toolport/core";
import { buildCatalog, type Catalog, type CatalogSources } from "./build-catalog.ts";
import { diffCatalogs } from "./diff-catalogs.ts";

/** The catalog of the moment. */
export interface LiveCatalog {
  /** The current snapshot; built anew when a provider's revision is another one than last time. */
  read(): Catalog;
  /** Counts the snapshots that were built. */
  readonly revision: number;
  /** Only somebody who listens pays for telling him what changed. */
  readonly onChange: Event<ToolsChange>;
  /** Ends all subscriptions; the last snapshot stays. */
  close(): void;
}

/** Follows the sources. Subscribes to nothing before somebody listens. */
export function createLiveCatalog(sources: CatalogSources): LiveCatalog {
  const { providers } = sources;
  const changes = createEvent<ToolsChange>();
  let subscriptions: readonly Subscription[] | undefined;
  let closed = false;
  let revision = 0;
  let seen: readonly number[] = [];
  let current: Catalog | undefined;

  const read = (): Catalog => {
    if (closed && current !== undefined) return current;
    const revisions = providers.map((provider) => provider.revision);
    if (current !== undefined && revisions.every((value, index) => value === seen[index])) return current;
    seen = revisions;
    revision += 1;
    current = buildCatalog(sources);
    return current;
  };

  // What listeners were told last; reads in between must not swallow a change.
  let told: Catalog | undefined;
  const announce = (): void => {
    const before = told;
    told = read();
    const change = before === undefined ? undefined : diffCatalogs(before, told);
    if (change !== undefined) changes.emit(change);
  };

  return {
    read,
    get revision() {
      read();
      return revision;
    },
    onChange(listener) {
      if (!closed && subscriptions === undefined) {
        told = read();
        subscriptions = providers.map((provider) => provider.onToolsChanged(announce));
      }
      return changes.on(listener);
    },
    close() {
      read();
      closed = true;
      for (const end of subscriptions ?? []) end();
      changes.close();
    },
  };
}
