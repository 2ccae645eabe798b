import type { Admit, Event, ToolsChange } from "@hostside/core";
import { createEvent, compareText } from "@hostside/core/implement";
import { identityOf, isPossibleName, type NameCollision, type NameTable } from "@hostside/naming";
import { buildCatalog, toolsToName, type CatalogPlan } from "./build-catalog.ts";
import { emptyCatalog, quarantinedTools, type ProviderCatalog, type ToolServerListing } from "./catalog.ts";
import type { DescribeTool, CatalogTool } from "./define-tool.ts";
import type { SharedNames } from "./name-book.ts";

/** The catalogue that is on show, and the one place where it is exchanged for another one. */
export interface LiveCatalog {
  readonly current: ProviderCatalog;
  /** Grows with each exchange in which something is another, also what is held back. */
  readonly revision: number;
  readonly onToolsChanged: Event<ToolsChange>;
  /**
   * Shows these listings instead, in one step. With `readmit`, asks of every tool once more whether
   * it is on offer. Returns the name collisions met. Throws when it is called while it makes a
   * catalogue, by a part of the product's own.
   */
  publish(listings: Iterable<ToolServerListing>, plan: PublishPlan): readonly NameCollision[];
  /**
   * All names that are given now, by whoever shares them; when it is closed, those of that moment.
   */
  readonly names: NameTable;
  /**
   * Whether a tool of this server, which is not known yet, may get this local name.
   */
  mayName(serverId: string, localName: string): boolean;
  /**
   * The server is registered: its names are kept, and those that start like its own are left to it.
   */
  claimNames(serverId: string): void;
  /**
   * Its registration is over: its names are free, unless somebody who shares them has such a
   * server.
   */
  releaseNames(serverId: string): void;
  /** Shows nothing any more, and tells nobody. */
  close(): void;
}

/** How to make the next catalogue. */
export type PublishPlan = Pick<CatalogPlan, "readmit">;

/** What a live catalogue is made from. */
export interface LiveCatalogInit {
  readonly providerName: string;
  readonly describe: DescribeTool;
  readonly admit?: Admit | undefined;
  readonly names: SharedNames;
  readonly reservedNames: readonly string[];
}

/** Makes an empty one. */
export function createLiveCatalog({ names: shared, reservedNames, ...plan }: LiveCatalogInit): LiveCatalog {
  const names = shared.join({
    reservedNames,
    shown(serverId) {
      const { offers = [], withheld } = current.servers.get(serverId) ?? {};
      return [...offers.map(({ origin }) => origin.toolName), ...(withheld?.keys() ?? [])];
    },
  });
  let current = emptyCatalog(names.table);
  let revision = 0;
  let isBuilding = false;
  const toolsChanged = createEvent<ToolsChange>();

  const show = (next: ProviderCatalog): void => {
    const before = current;
    current = next;
    if (next.definitions === before.definitions && next.groups === before.groups) {
      if (!sameQuarantine(before, next)) revision += 1;
      return;
    }
    revision += 1;
    if (toolsChanged.hasListeners) toolsChanged.emit(diffCatalogs(before, next));
  };
  return {
    get current() {
      return current;
    },
    get revision() {
      return revision;
    },
    onToolsChanged: toolsChanged.on,
    publish(listings, next) {
      if (isBuilding) throw new Error("a rule or a description must not change the servers or ask for admission again");
      isBuilding = true;
      try {
        const all = Array.from(listings);
        const { names: given, collisions } = names.assign(toolsToName(all, { ...next, previous: current }));
        const catalog = buildCatalog(all, { ...plan, ...next, names: given, previous: current });
        isBuilding = false;
        show(catalog);
        return collisions;
      } finally {
        isBuilding = false;
      }
    },
    get names() {
      return names.table;
    },
    mayName: (serverId, localName) =>
      identityOf(names.table, localName)?.serverId === serverId || isPossibleName(localName, serverId, shared.naming),
    claimNames: (serverId) => names.claim(serverId),
    releaseNames: (serverId) => names.release(serverId),
    close() {
      toolsChanged.close();
      names.leave();
      show(emptyCatalog(names.table));
    },
  };
}

/** Whoever merges providers looks at what is held back as well, and only when this tells it to. */
function sameQuarantine(before: ProviderCatalog, after: ProviderCatalog): boolean {
  const held = quarantinedTools(after);
  const old = quarantinedTools(before);
  return (
    held.length === old.length &&
    held.every(({ definition, server }, at) => definition === old[at]?.definition && server === old[at].server)
  );
}

/**
 * Which local names differ between two catalogues that follow each other. Looks only at servers
 * that changed.
 */
function diffCatalogs(before: ProviderCatalog, after: ProviderCatalog): ToolsChange {
  const old = changedTools(before, after);
  const now = changedTools(after, before);
  const names = (tools: ReadonlyMap<string, CatalogTool>, test: (name: string) => boolean): readonly string[] =>
    Array.from(tools.keys()).filter(test).sort(compareText);
  return {
    added: names(now, (name) => !old.has(name)),
    removed: names(old, (name) => !now.has(name)),
    changed: names(now, (name) => old.has(name) && old.get(name) !== now.get(name)),
  };
}

function changedTools(catalog: ProviderCatalog, other: ProviderCatalog): ReadonlyMap<string, CatalogTool> {
  const tools = new Map<string, CatalogTool>();
  for (const [serverId, { offers }] of catalog.servers) {
    if (other.servers.get(serverId)?.offers === offers) continue;
    for (const definition of offers) tools.set(definition.name, definition);
  }
  return tools;
}
