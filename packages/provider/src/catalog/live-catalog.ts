import type { Diagnostic, Event, ToolsChange } from "@hostside/core";
import { createEvent, compareText } from "@hostside/core/implement";
import { identityOf, isPossibleName, type NameCollision, type NameTable } from "@hostside/naming";
import { buildCatalog, toolsToName, type CatalogPlan } from "./build-catalog.ts";
import { emptyCatalog, quarantinedTools, type ProviderCatalog, type ToolServerListing } from "./catalog.ts";
import type { CatalogTool } from "./define-tool.ts";
import type { NameUser, SharedNames } from "./name-book.ts";

/** The parts of a live catalogue. */
export interface LiveCatalogInit extends Pick<CatalogPlan, "providerName" | "describe" | "admit"> {
  readonly names: SharedNames;
  readonly reservedNames: readonly string[];
}

/** Problems that came up while a catalogue was made. */
export interface PublishReport {
  readonly collisions: readonly NameCollision[];
  readonly problems: readonly Diagnostic[];
}

/** The catalogue that is on show, and the one place where it is exchanged for another one. */
export class LiveCatalog {
  readonly #init: LiveCatalogInit;
  /** Which names it takes part in. */
  readonly user: NameUser;
  readonly #toolsChanged = createEvent<ToolsChange>();
  readonly onToolsChanged: Event<ToolsChange> = this.#toolsChanged.on;
  current: ProviderCatalog;
  /** Grows with each exchange in which something is another, also what is held back. */
  revision = 0;
  #isBuilding = false;

  constructor(init: LiveCatalogInit) {
    const { names, reservedNames } = init;
    this.#init = init;
    this.user = names.join({
      reservedNames,
      shown: (serverId) => {
        const { offers = [], withheld } = this.current.servers.get(serverId) ?? {};
        return [...offers.map(({ origin }) => origin.toolName), ...(withheld?.keys() ?? [])];
      },
    });
    this.current = emptyCatalog(this.names);
  }

  /**
   * All names that are given now, by whoever shares them; when it is closed, those of that moment.
   */
  get names(): NameTable {
    return this.user.table;
  }

  /**
   * Shows these listings instead, in one step. With `readmit`, asks of every tool once more whether
   * it is on offer. Throws when it is called while it makes a catalogue, by a part of the product's
   * own.
   */
  publish(all: readonly ToolServerListing[], next: Pick<CatalogPlan, "readmit">): PublishReport {
    if (this.#isBuilding) {
      throw new Error("a rule or a description must not change the servers or ask for admission again");
    }
    this.#isBuilding = true;
    const problems: Diagnostic[] = [];
    let catalog: ProviderCatalog;
    let collisions: readonly NameCollision[];
    try {
      const { current: previous } = this;
      const given = this.user.assign(toolsToName(all, { ...next, previous }));
      const report = (problem: Diagnostic): void => void problems.push(problem);
      ({ collisions } = given);
      catalog = buildCatalog(all, { ...this.#init, ...next, names: given.names, previous, report });
    } finally {
      this.#isBuilding = false;
    }
    this.#show(catalog);
    return { collisions, problems };
  }

  /** Says whether a tool of this server, which is not known yet, may get this local name. */
  mayName(serverId: string, localName: string): boolean {
    const { naming } = this.#init.names;
    return identityOf(this.names, localName)?.serverId === serverId || isPossibleName(localName, serverId, naming);
  }

  /** Shows nothing any more, and tells nobody. */
  close(): void {
    this.#toolsChanged.close();
    this.user.leave();
    this.#show(emptyCatalog(this.names));
  }

  #show(next: ProviderCatalog): void {
    const before = this.current;
    this.current = next;
    if (next.definitions === before.definitions && next.groups === before.groups) {
      if (!sameQuarantine(before, next)) this.revision += 1;
      return;
    }
    this.revision += 1;
    if (this.#toolsChanged.hasListeners) this.#toolsChanged.emit(diffCatalogs(before, next));
  }
}

/** A toolbox over providers looks at what is held back as well, and only when this tells it to. */
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
