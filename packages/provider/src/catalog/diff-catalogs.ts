import type { ToolsChange } from "@hostside/core";
import { compareText } from "@hostside/core/implement";
import type { ProviderCatalog } from "./catalog.ts";
import type { CatalogTool } from "./define-tool.ts";

/**
 * Which local names differ between two catalogues that follow each other. Looks only at servers
 * that changed.
 */
export function diffCatalogs(before: ProviderCatalog, after: ProviderCatalog): ToolsChange {
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
