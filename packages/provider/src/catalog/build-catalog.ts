import {
  cleanText,
  type Admit,
  type Diagnostic,
  type RemoteTool,
  type ServerInfo,
  type ServerSpec,
  type ToolGroup,
} from "@hostside/core";
import { askAdmit, compareText, foldCase, sameDefinition, sameJson } from "@hostside/core/implement";
import { qualifiedName, type NameTable, type ToolIdentity } from "@hostside/naming";
import {
  findOffered,
  isForModels,
  type ProviderCatalog,
  type ServerCatalog,
  type ToolServerListing,
  type Withheld,
} from "./catalog.ts";
import {
  defineTool,
  describeWithOrigin,
  toolOf,
  describeServer,
  isSameOrigin,
  type CatalogTool,
  type DescribeTool,
} from "./define-tool.ts";

/** How a catalogue is made. */
export interface CatalogPlan {
  readonly providerName: string;
  readonly describe: DescribeTool;
  /** Says whether a tool is on offer; absent: all are. */
  readonly admit?: Admit | undefined;
  /** Hears of each part of the product's own that failed. */
  readonly report: (problem: Diagnostic) => void;
  /**
   * Ask `admit` of all tools once more, also of those in listings that are not new. Default
   * `false`.
   */
  readonly readmit?: boolean | undefined;
  /** The names of {@linkcode toolsToName}, and of those in listings that are not new. */
  readonly names: NameTable;
  /** The catalogue before it: whatever did not change stays the same object. */
  readonly previous: ProviderCatalog;
}

/**
 * The tools that a catalogue of these listings looks at: they need a name first. Tools that `allow`
 * and `deny` leave out have none.
 */
export function toolsToName(
  listings: readonly ToolServerListing[],
  plan: Pick<CatalogPlan, "previous" | "readmit">,
): readonly ToolIdentity[] {
  return listings.flatMap((listing) => (keptOf(listing, plan) === undefined ? identitiesOf(listing) : []));
}

/** The tools of a listing that have local names. */
export function identitiesOf({ spec, tools }: Pick<ToolServerListing, "spec" | "tools">): readonly ToolIdentity[] {
  return tools.filter(createToolFilter(spec)).map(({ name }) => ({ serverId: spec.id, toolName: name }));
}

/**
 * Makes the catalogue of these listings. As pure as `describe` and `admit`, and independent of the
 * order they come in. Costs a look at each tool of the listings that are new; the others are taken
 * over as they are. A tool that is not admitted keeps its name, which nobody else gets meanwhile.
 */
export function buildCatalog(listings: readonly ToolServerListing[], plan: CatalogPlan): ProviderCatalog {
  const servers = listings
    .toSorted((a, b) => compareText(a.spec.id, b.spec.id))
    .map((listing) => keptOf(listing, plan) ?? buildServer(listing, plan));
  return assemble(servers, plan);
}

function keptOf(
  listing: ToolServerListing,
  { previous, readmit = false }: Pick<CatalogPlan, "previous" | "readmit">,
): ServerCatalog | undefined {
  const before = previous.servers.get(listing.spec.id);
  return before?.listing === listing && !readmit ? before : undefined;
}

function buildServer(listing: ToolServerListing, plan: CatalogPlan): ServerCatalog {
  const { spec } = listing;
  const { admit, previous, providerName, names } = plan;
  const describe = guardDescribe(plan);
  const known = previous.servers.get(spec.id);
  // What was selected from one registration says nothing about another one, even if it reads the
  // same.
  const before = known !== undefined && isSameOrigin(known.listing.origin, listing.origin) ? known : undefined;
  const groupId = `${providerName}:${spec.id}`;
  const groupIds = Object.freeze([groupId]);
  const qualifier = qualifiedName({ serverId: spec.id, toolName: "" });
  const server = describeServer(spec, listing.server);
  const withheld = new Map<string, Withheld>();
  const failed: { readonly toolName: string; readonly problem: string }[] = [];
  const found: CatalogTool[] = [];
  const given = names.servers.get(spec.id);
  for (const tool of listing.tools.filter(createToolFilter(spec))) {
    const localName = given?.get(tool.name);
    // Whoever makes a catalogue has named them all.
    if (localName === undefined) continue;
    const old = before === undefined ? undefined : findDefined(previous, before, tool.name);
    // Of another tool, a definition that reads the same has another fingerprint.
    const same = old !== undefined && sameJson(toolOf(old), tool) ? old : undefined;
    const isKept = same !== undefined && before?.listing.spec === spec;
    const defined = isKept
      ? same
      : defineTool(tool, { spec, listed: listing.origin, localName, qualifier, groupIds, describe });
    // The very same object, if a model sees no difference.
    const definition = same !== undefined && sameDefinition(same, defined) ? same : defined;
    const { admission, problem } = admit ? askAdmit(admit, definition, server) : offered;
    if (problem !== undefined) failed.push({ toolName: tool.name, problem });
    if (admission === "offer") found.push(definition);
    else withheld.set(tool.name, { definition, admission });
  }
  const offers = found.sort(byName);
  if (failed[0] !== undefined) plan.report(admissionFailed(spec.id, failed[0], failed.length - 1));
  const members = Object.freeze(offers.map(({ name }) => name));
  const group = members.length === 0 ? undefined : buildGroup(groupId, listing, members);
  return {
    listing,
    offers: before !== undefined && sameOffers(before.offers, offers) ? before.offers : offers,
    withheld: withheld.size === 0 ? none : withheld,
    group: sameJson(before?.group, group) ? before?.group : group,
  };
}

const offered: ReturnType<typeof askAdmit> = { admission: "offer" };

// A hostile tool may break a function of the product's own. That must cost nobody else anything.
function guardDescribe({ describe, report }: Pick<CatalogPlan, "describe" | "report">): DescribeTool {
  return (tool, spec) => {
    try {
      const description: unknown = describe(tool, spec);
      if (typeof description === "string") return description;
    } catch {
      // What it threw is the product's own, and may quote anything.
    }
    const { name: toolName } = tool;
    const message = `the description function failed for ${shown(toolName)}; the default description is used`;
    report({ kind: "description-failed", serverId: spec.id, toolName, message });
    return describeWithOrigin(tool, spec);
  };
}

// One for each server: a rule that throws may do so for ten thousand tools.
function admissionFailed(
  serverId: string,
  { toolName, problem }: { readonly toolName: string; readonly problem: string },
  others: number,
): Diagnostic {
  const who = others === 0 ? `${shown(toolName)} is` : `${shown(toolName)} and ${others} more of its tools are`;
  const message = `${who} hidden, because admit() ${problem}`;
  return { kind: "admission-failed", serverId, toolName, message };
}

function shown(toolName: string): string {
  return JSON.stringify(cleanText(toolName, 256));
}

// Most servers have no such tools, and a table of its own is 180 bytes.
const none: ReadonlyMap<string, never> = new Map<string, never>();

/** The definition that a catalogue has of a tool, whether it is on offer or not. */
function findDefined(
  catalog: ProviderCatalog,
  { listing, withheld }: ServerCatalog,
  toolName: string,
): CatalogTool | undefined {
  return findOffered(catalog, listing.spec.id, toolName) ?? withheld.get(toolName)?.definition;
}

function sameOffers(before: readonly CatalogTool[], after: readonly CatalogTool[]): boolean {
  return before.length === after.length && after.every((definition, index) => definition === before[index]);
}

function byName(a: CatalogTool, b: CatalogTool): number {
  return compareText(a.name, b.name);
}

function assemble(servers: readonly ServerCatalog[], { names, previous }: CatalogPlan): ProviderCatalog {
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
  const [first, second] = servers.filter(({ offers }) => offers.length > 0);
  // One list for both.
  if (first !== undefined && second === undefined) return Object.freeze(first.offers);
  return Object.freeze(servers.flatMap(({ offers }) => offers).sort(byName));
}

function indexByName(definitions: readonly CatalogTool[]): ReadonlyMap<string, CatalogTool> {
  const index = new Map<string, CatalogTool>();
  for (const definition of definitions) {
    const { name } = definition;
    index.set(name, definition);
    const folded = foldCase(name);
    if (folded !== name) index.set(folded, definition);
  }
  return index;
}

/**
 * The group of one server: its members, and what the server says of itself, which is data for
 * displays and for discovery and never an instruction. A title in the spec wins over the one that
 * the server claims.
 */
function buildGroup(
  id: string,
  { spec, server }: { readonly spec: ServerSpec; readonly server: ServerInfo },
  members: readonly string[],
): ToolGroup {
  const claimed = [spec.title, server.title, server.name].map(clean).find((title) => title !== "");
  const instructions = clean(server.instructions);
  return Object.freeze({
    id,
    title: claimed === undefined || claimed === spec.id ? `MCP server \`${clean(spec.id)}\`` : claimed,
    description: clean(server.description) || `Tools provided by MCP server \`${clean(spec.id)}\`.`,
    ...(instructions !== "" && { instructions }),
    members,
  });
}

function clean(text: string | undefined): string {
  return text === undefined ? "" : cleanText(text).trim();
}

/**
 * The filter of a spec: `allow` (empty or absent: all) and `deny` (always wins), both on the remote
 * name, exact and case-sensitive. A tool that declares itself for the server's own user interface
 * only is for no model.
 */
export function createToolFilter(spec: ServerSpec): (tool: RemoteTool) => boolean {
  const isOffered = createNameFilter(spec);
  return ({ name, meta }) => isOffered(name) && isForModels(meta);
}

/** The part of a spec's filter that goes by the remote name alone. */
export function createNameFilter({ allow = [], deny = [] }: ServerSpec): (toolName: string) => boolean {
  if (allow.length === 0 && deny.length === 0) return () => true;
  const included = new Set(allow);
  const excluded = new Set(deny);
  return (name) => (included.size === 0 || included.has(name)) && !excluded.has(name);
}
