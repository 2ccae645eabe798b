import type { ToolDefinition, ToolGroup } from "@toolport/core";
import type { Catalog } from "../catalog/build-catalog.ts";
import { foldName } from "../catalog/fold-name.ts";
import { normalizeGroups } from "../catalog/normalize-groups.ts";

/** What of a catalog exists for one agent. */
export interface PermittedPart {
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
}

/** Takes denied tools (folded names) out of a catalog; worked out once per catalog. */
export function createPermitted(denied: ReadonlySet<string>): (catalog: Catalog) => PermittedPart {
  let last: { readonly catalog: Catalog; readonly part: PermittedPart } | undefined;
  return (catalog) => {
    if (denied.size === 0) return catalog;
    if (last?.catalog !== catalog) last = { catalog, part: withoutDenied(catalog, denied) };
    return last.part;
  };
}

function withoutDenied({ definitions, groups }: Catalog, denied: ReadonlySet<string>): PermittedPart {
  const isAllowed = (name: string): boolean => !denied.has(foldName(name));
  const nameOf = (name: string): string | undefined => (isAllowed(name) ? name : undefined);
  return {
    definitions: definitions.filter(({ name }) => isAllowed(name)),
    groups: normalizeGroups(groups.map((group) => ({ group, nameOf }))),
  };
}
