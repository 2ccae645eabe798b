import type { Admit, Event, ToolDefinition, ToolsChange } from "@toolport/core";
import { createEvent } from "@toolport/core/implement";
import {
  loadNames,
  withoutNames,
  withoutServer,
  type NameCollision,
  type NameTable,
  type NamingStrategy,
} from "@toolport/naming";
import { buildCatalog, type CatalogPlan } from "./build-catalog.ts";
import { emptyCatalog, quarantinedTools, type Catalog, type ServerListing } from "./catalog.ts";
import { diffCatalogs } from "./diff-catalogs.ts";
import type { DescribeTool } from "./define-tool.ts";

/** The catalogue that is on show, and the one place where it is exchanged for another one. */
export interface LiveCatalog {
  readonly current: Catalog;
  /** Grows with each exchange in which something is another, also what is held back. */
  readonly revision: number;
  readonly onToolsChanged: Event<ToolsChange>;
  /**
   * Shows these listings instead, in one step. `serverIds` are those of all registered servers. With `readmit`, asks of every tool
   * once more whether it is on offer. Returns the name collisions met. Throws when it is called while it makes a catalogue, by a part of the product's own.
   */
  publish(listings: Iterable<ServerListing>, plan: PublishPlan): readonly NameCollision[];
  /** Frees the names of a server whose registration is over. Part of the next `publish`. */
  forgetNames(serverId: string): void;
  /** For which registration a definition was made; `undefined` for one that was not made here. */
  readonly registrationOf: (definition: ToolDefinition) => string | undefined;
  /** Shows nothing any more, and tells nobody. */
  close(): void;
}

/** How to make the next catalogue. */
export type PublishPlan = Pick<CatalogPlan, "serverIds" | "readmit">;

/** What a live catalogue is made from. */
export interface LiveCatalogInit {
  readonly providerName: string;
  readonly naming: NamingStrategy;
  readonly describe: DescribeTool;
  readonly admit?: Admit | undefined;
  readonly reservedNames?: readonly string[] | undefined;
  readonly savedNames: unknown;
}

/** Makes an empty one. Throws `invalid_names` when the saved names are not what `savedNames()` gave. */
export function createLiveCatalog({ savedNames, ...plan }: LiveCatalogInit): LiveCatalog {
  let current = emptyCatalog(readNames(savedNames, plan));
  let revision = 0;
  let isBuilding = false;
  // Of definitions that are not on show any more; the others are found where they stand.
  const departed = new WeakMap<ToolDefinition, string>();
  const toolsChanged = createEvent<ToolsChange>();

  const show = (next: Catalog): void => {
    const before = current;
    current = next;
    if (next.definitions === before.definitions && next.groups === before.groups) {
      if (!sameQuarantine(before, next)) revision += 1;
      return;
    }
    revision += 1;
    for (const [serverId, { offers, listing }] of before.servers) {
      const kept = next.servers.get(serverId)?.offers;
      if (kept === offers) continue;
      for (const [toolName, { definition }] of offers) {
        if (kept?.get(toolName)?.definition !== definition) departed.set(definition, listing.registration);
      }
    }
    toolsChanged.emit(diffCatalogs(before, next));
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
        const { catalog, collisions } = buildCatalog(listings, { ...plan, ...next, previous: current });
        isBuilding = false;
        show(catalog);
        return collisions;
      } finally {
        isBuilding = false;
      }
    },
    forgetNames(serverId) {
      current = { ...current, names: withoutServer(current.names, serverId) };
    },
    registrationOf(definition) {
      const { serverId = "", toolName = "" } = definition.origin ?? {};
      const server = current.servers.get(serverId);
      const isShown = server?.offers.get(toolName)?.definition === definition;
      return isShown ? server.listing.registration : departed.get(definition);
    },
    close() {
      toolsChanged.close();
      show(emptyCatalog(current.names));
    },
  };
}

/** Whoever merges providers looks at what is held back as well, and only when this tells it to. */
function sameQuarantine(before: Catalog, after: Catalog): boolean {
  const held = quarantinedTools(after);
  const old = quarantinedTools(before);
  return (
    held.length === old.length &&
    held.every(({ definition, server }, at) => definition === old[at]?.definition && server === old[at].server)
  );
}

function readNames(
  saved: unknown,
  { naming, reservedNames = [] }: Pick<LiveCatalogInit, "naming" | "reservedNames">,
): NameTable | undefined {
  return saved === undefined ? undefined : withoutNames(loadNames(saved, naming), reservedNames);
}
