import type { JsonObject, ToolDefinition, ToolGroup } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { createSearchIndex, type SearchDocument, type SearchHit, type SearchOptions } from "../search/search-index.ts";
import type { ToolboxCatalog } from "./toolbox-catalog.ts";
import { isInformative, stripPreface } from "./excerpt.ts";

/** The search index of a catalog, brought up to date by what changed since the last time. */
export interface CatalogSearch {
  search(catalog: ToolboxCatalog, query: string, options: SearchOptions): readonly SearchHit[];
}

/**
 * An empty index; the first search fills it, so that a toolbox that is never searched pays nothing.
 */
export function createCatalogSearch(): CatalogSearch {
  const index = createSearchIndex();
  const indexed = new Map<string, { readonly definition: ToolDefinition; readonly document: SearchDocument }>();
  let current: ToolboxCatalog | undefined;

  const update = (catalog: ToolboxCatalog): void => {
    if (catalog === current) return;
    current = catalog;
    const gone = new Set(indexed.keys());
    const groups = groupsByTool(catalog);
    for (const definition of catalog.definitions) {
      gone.delete(definition.name);
      const known = indexed.get(definition.name);
      const { context, about } = wordsOf(definition, groups.get(definition.name) ?? []);
      const { document: before } = known ?? {};
      if (known?.definition === definition && before?.context === context && before.about === about) continue;
      const document = toSearchDocument(definition, context, about);
      indexed.set(definition.name, { definition, document });
      // A new listing makes new objects of what did not change; only new words need work.
      if (JSON.stringify(before) !== JSON.stringify(document)) index.add(document);
    }
    for (const name of gone) {
      indexed.delete(name);
      index.remove(name);
    }
  };

  return {
    search(catalog, query, options) {
      update(catalog);
      return index.search(query, options);
    },
  };
}

interface GroupWords {
  readonly title: string;
  readonly about: string;
}

function groupsByTool({ groups }: ToolboxCatalog): ReadonlyMap<string, readonly GroupWords[]> {
  const byTool = new Map<string, GroupWords[]>();
  for (const group of groups) {
    const words = { title: group.title, about: aboutGroup(group) };
    for (const member of group.members) {
      const others = byTool.get(member);
      if (others === undefined) byTool.set(member, [words]);
      else others.push(words);
    }
  }
  return byTool;
}

function wordsOf(
  { origin }: ToolDefinition,
  groups: readonly GroupWords[],
): { readonly context: string; readonly about: string } {
  // Nearly every tool has one group: its texts are then the very strings that its neighbours have.
  const about = groups.length === 1 ? (groups[0]?.about ?? "") : groups.map((group) => group.about).join(" ");
  return { context: `${origin?.serverId ?? ""} ${groups.map(({ title }) => title).join(" ")}`.trim(), about };
}

/**
 * A definition as the index reads it; `context` are names of its server and groups, `about` what
 * these are for.
 */
export function toSearchDocument(definition: ToolDefinition, context: string, about: string = ""): SearchDocument {
  const { name, title, annotations, inputSchema, origin } = definition;
  const { names, texts } = readParameters(inputSchema);
  return {
    name,
    shortName: origin?.toolName ?? name,
    aliases: origin === undefined || origin.serverId === "" ? [] : [`${origin.serverId}_${origin.toolName}`],
    // Half of the servers have a title in the one place, half in the other.
    title: title ?? annotations?.title ?? "",
    description: stripPreface(definition),
    parameters: names,
    parameterTexts: texts,
    context,
    about,
  };
}

/** The words of a group about itself, without the ones that every server of a kind has. */
export function aboutGroup({
  description,
  instructions = "",
}: Pick<ToolGroup, "description" | "instructions">): string {
  return `${isInformative(description) ? description : ""} ${instructions.slice(0, maxTextLength)}`.trim();
}

// Enough for the words that say what a tool works on, without reading a schema of a megabyte.
const maxParameters = 40;
const maxTextLength = 2000;
const maxValues = 20;

function readParameters({ properties }: JsonObject): { readonly names: readonly string[]; readonly texts: string } {
  if (!isJsonObject(properties)) return { names: [], texts: "" };
  const names = Object.keys(properties);
  let texts = "";
  for (const name of names.slice(0, maxParameters)) {
    const schema = properties[name];
    if (!isJsonObject(schema) || texts.length > maxTextLength) continue;
    const { description, enum: values } = schema;
    if (typeof description === "string") texts += ` ${description.slice(0, maxTextLength - texts.length)}`;
    if (!Array.isArray(values)) continue;
    for (const value of values.slice(0, maxValues)) if (typeof value === "string") texts += ` ${value.slice(0, 64)}`;
  }
  return { names, texts };
}
