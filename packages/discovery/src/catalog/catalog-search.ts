import type { ToolDefinition } from "@toolport/core";
import { createSearchIndex, type SearchIndex, type SearchOptions, type SearchWork } from "../search/search-index.ts";
import type { SearchHit } from "../search/rank-documents.ts";
import type { SearchDocument } from "../search/search-document.ts";
import type { Catalog } from "./build-catalog.ts";
import { ownWords } from "./own-words.ts";

/** The search index of a catalog, brought up to date by what changed since the last time. */
export interface CatalogSearch {
  search(catalog: Catalog, query: string, options: SearchOptions): readonly SearchHit[];
  readonly work: SearchWork;
}

interface Indexed {
  readonly definition: ToolDefinition;
  readonly document: SearchDocument;
}

/** An empty index; the first search fills it, so that a toolbox that is never searched pays nothing. */
export function createCatalogSearch(): CatalogSearch {
  const index: SearchIndex = createSearchIndex();
  const indexed = new Map<string, Indexed>();
  let current: Catalog | undefined;

  const update = (catalog: Catalog): void => {
    if (catalog === current) return;
    current = catalog;
    const groupTitles = titlesByTool(catalog);
    const gone = new Set(indexed.keys());
    for (const definition of catalog.definitions) {
      gone.delete(definition.name);
      const known = indexed.get(definition.name);
      const context = contextOf(definition, groupTitles.get(definition.name));
      if (known?.definition === definition && known.document.context === context) continue;
      const document = toSearchDocument(definition, context);
      indexed.set(definition.name, { definition, document });
      // A new listing makes new objects of what did not change; only new words need work.
      if (known === undefined || !isSameDocument(known.document, document)) index.add(document);
    }
    for (const name of gone) {
      indexed.delete(name);
      index.remove(name);
    }
  };

  return {
    work: index.work,
    search(catalog, query, options) {
      update(catalog);
      return index.search(query, options);
    },
  };
}

function titlesByTool({ groups }: Catalog): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  for (const { title, members } of groups) {
    for (const member of members) {
      const before = titles.get(member);
      titles.set(member, before === undefined ? title : `${before} ${title}`);
    }
  }
  return titles;
}

function contextOf({ origin }: ToolDefinition, groupTitles: string | undefined): string {
  return `${origin?.serverId ?? ""} ${groupTitles ?? ""}`.trim();
}

/** A definition as the index reads it; `context` are words of its server and groups. */
export function toSearchDocument(definition: ToolDefinition, context: string): SearchDocument {
  const { name, title = "", inputSchema, origin } = definition;
  const properties = inputSchema["properties"];
  const parameters = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const shortName = origin?.toolName ?? name;
  const aliases = origin === undefined || origin.serverId === "" ? [] : [`${origin.serverId}_${origin.toolName}`];
  return { name, shortName, aliases, title, description: ownWords(definition), parameters, context };
}

function isSameDocument(a: SearchDocument, b: SearchDocument): boolean {
  return (
    a.shortName === b.shortName &&
    a.title === b.title &&
    a.description === b.description &&
    a.context === b.context &&
    a.aliases.join() === b.aliases.join() &&
    a.parameters.join() === b.parameters.join()
  );
}
