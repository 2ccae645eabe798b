import type { Admit, RemoteTool } from "@toolport/core";
import { compareText, foldCase, sameDefinition, sameJson } from "@toolport/core/implement";
import { localNameOf, qualifiedName, type NameTable, type ToolIdentity } from "@toolport/naming";
import { buildGroup } from "./build-group.ts";
import type { Catalog, Offer, ServerCatalog, ServerListing, Withheld } from "./catalog.ts";
import { defineTool, type CatalogTool, type DescribeTool } from "./define-tool.ts";
import { describeServer } from "./describe-server.ts";
import { createAppFilter, createToolFilter } from "./tool-filter.ts";

/** How a catalogue is made. */
export interface CatalogPlan {
  readonly providerName: string;
  readonly describe: DescribeTool;
  /** Whether a tool is on offer; absent: all are. Never throws. */
  readonly admit?: Admit | undefined;
  /** Ask `admit` of all tools once more, also of those in listings that are not new. Default `false`. */
  readonly readmit?: boolean | undefined;
  /** The names of {@linkcode toolsToName}, and of those in listings that are not new. */
  readonly names: NameTable;
  /** What the new one follows: whatever did not change stays the same object. */
  readonly previous: Catalog;
}

/** The tools that a catalogue of these listings looks at: they need a name first. What `include` and `exclude` leave out has none. */
export function toolsToName(
  listings: readonly ServerListing[],
  plan: Pick<CatalogPlan, "previous" | "readmit">,
): readonly ToolIdentity[] {
  return listings.flatMap((listing) => (keptOf(listing, plan) === undefined ? identitiesOf(listing) : []));
}

/** The tools of a listing that have local names. */
export function identitiesOf({ spec, tools }: Pick<ServerListing, "spec" | "tools">): readonly ToolIdentity[] {
  return tools.filter(createToolFilter(spec)).map(({ name }) => ({ serverId: spec.id, toolName: name }));
}

/**
 * Makes the catalogue of these listings. As pure as `describe` and `admit`, and independent of the order they come in. Costs a look at each
 * tool of the listings that are new; the others are taken over as they are. A tool that is not admitted keeps its name, which nobody else gets meanwhile.
 */
export function buildCatalog(listings: readonly ServerListing[], plan: CatalogPlan): Catalog {
  const servers = listings
    .toSorted((a, b) => compareText(a.spec.id, b.spec.id))
    .map((listing) => keptOf(listing, plan) ?? buildServer(listing, plan));
  return assemble(servers, plan);
}

function keptOf(
  listing: ServerListing,
  { previous, readmit = false }: Pick<CatalogPlan, "previous" | "readmit">,
): ServerCatalog | undefined {
  const before = previous.servers.get(listing.spec.id);
  return before?.listing === listing && !readmit ? before : undefined;
}

function buildServer(listing: ServerListing, plan: CatalogPlan): ServerCatalog {
  const { spec } = listing;
  const { describe, admit, previous, providerName, names } = plan;
  const known = previous.servers.get(spec.id);
  // What was selected from one registration says nothing about another one, even if it reads the same.
  const before = known?.listing.registration === listing.registration ? known : undefined;
  const groupId = `${providerName}:${spec.id}`;
  const groupIds = Object.freeze([groupId]);
  const qualifier = qualifiedName({ serverId: spec.id, toolName: "" });
  const server = describeServer(spec, listing.server);
  const offers = new Map<string, Offer>();
  const withheld = new Map<string, Withheld>();
  const apps = new Map<string, Offer>();
  const sort = (tool: RemoteTool, localName: string, admitted: Map<string, Offer>): void => {
    const { name } = tool;
    const old = before?.offers.get(name) ?? before?.apps.get(name) ?? before?.withheld.get(name);
    const offer = renewOffer(tool, {
      // Of another tool, a definition that reads the same has another fingerprint.
      old: old !== undefined && sameJson(old.tool, tool) ? old : undefined,
      isOldSpec: before?.listing.spec === spec,
      define: () => defineTool(tool, { spec, localName, qualifier, groupIds, describe }),
    });
    const admission = admit?.(offer.definition, server) ?? "offer";
    if (admission === "offer") admitted.set(name, offer);
    else withheld.set(name, { ...offer, admission });
  };
  for (const tool of listing.tools.filter(createToolFilter(spec))) {
    const localName = localNameOf(names, { serverId: spec.id, toolName: tool.name });
    // Whoever makes a catalogue has named them all.
    if (localName !== undefined) sort(tool, localName, offers);
  }
  for (const tool of listing.tools.filter(createAppFilter(spec))) {
    sort(tool, qualifiedName({ serverId: spec.id, toolName: tool.name }), apps);
  }
  const members = Object.freeze(Array.from(offers.values(), ({ definition }) => definition.name).toSorted(compareText));
  const group = members.length === 0 ? undefined : buildGroup(groupId, listing, members);
  return {
    listing,
    offers: before !== undefined && sameOffers(before.offers, offers) ? before.offers : offers,
    apps,
    withheld,
    group: sameJson(before?.group, group) ? before?.group : group,
  };
}

interface Renewal {
  /** The offer of the same tool in the catalogue before. */
  readonly old: Offer | undefined;
  /** Whether that was made by the same spec. */
  readonly isOldSpec: boolean;
  readonly define: () => CatalogTool;
}

/** The offer of a tool: the one that it had, the very same object, if a model sees no difference. */
function renewOffer(tool: RemoteTool, { old, isOldSpec, define }: Renewal): Offer {
  const plain = (offer: Offer): Offer =>
    "admission" in offer ? { tool: offer.tool, definition: offer.definition } : offer;
  if (old !== undefined && isOldSpec) return plain(old);
  const definition = define();
  return old !== undefined && sameDefinition(old.definition, definition) ? plain(old) : { tool, definition };
}

function sameOffers(before: ReadonlyMap<string, Offer>, after: ReadonlyMap<string, Offer>): boolean {
  if (before.size !== after.size) return false;
  for (const [name, offer] of after) if (before.get(name) !== offer) return false;
  return true;
}

function assemble(servers: readonly ServerCatalog[], { names, previous }: CatalogPlan): Catalog {
  const byId = new Map(servers.map((server) => [server.listing.spec.id, server]));
  const before = Array.from(previous.servers.values());
  const sameTools =
    servers.length === before.length && servers.every((server, index) => server.offers === before[index]?.offers);
  const sameGroups =
    servers.length === before.length && servers.every((server, index) => server.group === before[index]?.group);
  const definitions = sameTools ? previous.definitions : sortedDefinitions(servers);
  return {
    definitions,
    byName: sameTools ? previous.byName : indexByName(definitions),
    groups: sameGroups
      ? previous.groups
      : Object.freeze(servers.flatMap(({ group }) => (group === undefined ? [] : [group]))),
    servers: byId,
    names,
  };
}

function sortedDefinitions(servers: readonly ServerCatalog[]): readonly CatalogTool[] {
  const definitions = servers.flatMap(({ offers }) => Array.from(offers.values(), ({ definition }) => definition));
  return Object.freeze(definitions.toSorted((a, b) => compareText(a.name, b.name)));
}

function indexByName(definitions: readonly CatalogTool[]): ReadonlyMap<string, CatalogTool> {
  const byName = new Map<string, CatalogTool>();
  for (const definition of definitions)
    byName.set(definition.name, definition).set(foldCase(definition.name), definition);
  return byName;
}
