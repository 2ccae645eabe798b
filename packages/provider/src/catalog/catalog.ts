import type {
  Admission,
  AdmissionServer,
  JsonObject,
  RemoteTool,
  ServerInfo,
  ServerSpec,
  ToolDefinition,
  ToolGroup,
} from "@hostside/core";
import { compareText, foldCase, isJsonObject } from "@hostside/core/implement";
import { emptyNames, localNameOf, type NameTable } from "@hostside/naming";
import { describeServer, type CatalogTool, type ListingOrigin } from "./define-tool.ts";

/** The latest good listing of one server, with what a catalogue needs to know besides. */
export interface ToolServerListing {
  readonly origin: ListingOrigin;
  readonly spec: ServerSpec;
  readonly server: ServerInfo;
  /** As listed: unfiltered, in the server's order, with unique names. */
  readonly tools: readonly RemoteTool[];
}

/** A tool that was not admitted. */
export interface Withheld {
  /** As it would be on offer. */
  readonly definition: CatalogTool;
  readonly admission: Exclude<Admission, "offer">;
}

/** A tool that the host holds back until it has looked at it. */
export interface QuarantinedServerTool {
  /** As it would be on offer. */
  readonly definition: ToolDefinition;
  /** The description of its server that `admit` got. */
  readonly server: AdmissionServer;
}

/** One server's part of a catalogue. */
export interface ServerCatalog {
  readonly listing: ToolServerListing;
  /**
   * Only what is offered, sorted by local name. The same object as before when no tool of the
   * server changed.
   */
  readonly offers: readonly CatalogTool[];
  /** By remote name; what was not admitted. */
  readonly withheld: ReadonlyMap<string, Withheld>;
  /** Absent for a server without tools. */
  readonly group: ToolGroup | undefined;
}

/**
 * All servers' tools at one moment. Immutable; a catalogue shares with the one before it whatever
 * did not change, so that `===` on `definitions`, `groups` or a single definition tells whether
 * there is anything new.
 */
export interface ProviderCatalog {
  /** Sorted by local name. */
  readonly definitions: readonly CatalogTool[];
  /** Sorted by server id. */
  readonly groups: readonly ToolGroup[];
  /** By local name, and by local name with A to Z lower-cased. */
  readonly byName: ReadonlyMap<string, CatalogTool>;
  readonly servers: ReadonlyMap<string, ServerCatalog>;
  readonly names: NameTable;
}

/** A catalogue without servers. */
export function emptyCatalog(names: NameTable = emptyNames): ProviderCatalog {
  return { definitions: [], groups: [], byName: new Map(), servers: new Map(), names };
}

/** Finds a tool by its local name, regardless of ASCII case. */
export function findCatalogTool({ byName }: ProviderCatalog, name: string): CatalogTool | undefined {
  return byName.get(name) ?? byName.get(foldCase(name));
}

/** The tool on offer that its server calls so. There is no table for it: its name leads to it. */
export function findOffered(
  { names, byName }: ProviderCatalog,
  serverId: string,
  toolName: string,
): CatalogTool | undefined {
  const localName = localNameOf(names, { serverId, toolName });
  return localName === undefined ? undefined : byName.get(localName);
}

/** The tools in quarantine, sorted by local name. */
export function quarantinedTools({ servers }: ProviderCatalog): readonly QuarantinedServerTool[] {
  const found: QuarantinedServerTool[] = [];
  for (const { listing, withheld } of servers.values()) {
    for (const { definition, admission } of withheld.values()) {
      if (admission === "quarantine") found.push({ definition, server: describeServer(listing.spec, listing.server) });
    }
  }
  return found.sort((a, b) => compareText(a.definition.name, b.definition.name));
}

/** Finds a tool in quarantine by its local name, regardless of ASCII case. */
export function findQuarantined({ servers }: ProviderCatalog, name: string): CatalogTool | undefined {
  const folded = foldCase(name);
  for (const { withheld } of servers.values()) {
    for (const { definition, admission } of withheld.values()) {
      if (admission === "quarantine" && foldCase(definition.name) === folded) return definition;
    }
  }
  return undefined;
}

/**
 * Reads `_meta.ui.visibility`, which lists who may use a tool; without it everybody may
 * (https://github.com/modelcontextprotocol/ext-apps).
 */
export function isForModels(meta: JsonObject | undefined): boolean {
  const ui = meta?.["ui"];
  const visibility = isJsonObject(ui) ? ui["visibility"] : undefined;
  return !Array.isArray(visibility) || visibility.includes("model");
}
