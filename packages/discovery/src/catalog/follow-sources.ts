import type { Event, Subscription, ToolsChange } from "@hostside/core";
import { createEvent, sameDefinition } from "@hostside/core/implement";
import type { ToolboxCatalog } from "./toolbox-catalog.ts";
import { mergeSources, type CatalogSources } from "./merge-sources.ts";

/** The catalog of the moment. */
export interface FollowedSources {
  /** The current snapshot; built anew when a provider's revision is another one than last time. */
  read(): ToolboxCatalog;
  /** Counts the snapshots that were built. */
  readonly revision: number;
  /** Only somebody who listens pays for finding what changed. */
  readonly onChange: Event<ToolsChange>;
  /** Decides about all tools once more. Throws an `Error` when whoever decides calls it. */
  readmit(): void;
  /** Ends all subscriptions; the last snapshot stays. */
  close(): void;
}

/** Follows the sources. Subscribes to nothing before somebody listens. */
export function followSources(sources: CatalogSources): FollowedSources {
  const { providers } = sources;
  const changes = createEvent<ToolsChange>();
  let subscriptions: readonly Subscription[] | undefined;
  let closed = false;
  let revision = 0;
  let seen: readonly number[] = [];
  let current: ToolboxCatalog | undefined;

  let isMerging = false;
  let mustMerge = false;
  const read = (): ToolboxCatalog => {
    if (isMerging && current === undefined)
      throw new Error("the tools are being merged; nothing can be read of them yet");
    if ((closed || isMerging) && current !== undefined) return current;
    const isSeen = !mustMerge && providers.every(({ revision: one }, index) => Object.is(one, seen[index]));
    if (current !== undefined && isSeen) return current;
    const revisions = providers.map(({ revision: one }) => one);
    isMerging = true;
    try {
      current = mergeSources(sources);
    } finally {
      isMerging = false;
    }
    seen = revisions;
    revision += 1;
    mustMerge = false;
    return current;
  };

  // What listeners heard of last; reads in between must not swallow a change.
  let announced: ToolboxCatalog | undefined;
  const announce = (): void => {
    const before = announced;
    announced = read();
    const change = before === undefined ? undefined : findChanges(before, announced);
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
        announced = read();
        subscriptions = providers.map((provider) => provider.onToolsChanged(announce));
      }
      return changes.on(listener);
    },
    readmit() {
      if (isMerging) throw new Error("readmit() was called by admit(), which it asks");
      sources.admission.forget();
      mustMerge = true;
      if (subscriptions !== undefined) announce();
    },
    close() {
      read();
      closed = true;
      for (const end of subscriptions ?? []) end();
      changes.close();
    },
  };
}

/**
 * Finds what changed between two snapshots, by the names under which tools are listed; `undefined`
 * when nothing did.
 */
function findChanges(before: ToolboxCatalog, after: ToolboxCatalog): ToolsChange | undefined {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  for (const [key, { definition }] of after.tools) {
    const old = before.tools.get(key)?.definition;
    if (old === undefined) added.push(definition.name);
    else if (!sameDefinition(old, definition)) changed.push(definition.name);
  }
  for (const [key, { definition }] of before.tools) if (!after.tools.has(key)) removed.push(definition.name);
  if (added.length + removed.length + changed.length === 0) return undefined;
  return { added: added.sort(), removed: removed.sort(), changed: changed.sort() };
}
