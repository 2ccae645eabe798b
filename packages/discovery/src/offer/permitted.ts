import type { ToolDefinition, ToolGroup } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { ToolboxCatalog, ToolboxTool } from "../catalog/toolbox-catalog.ts";
import { normalizeGroups } from "../catalog/normalize-groups.ts";
import type { Denial } from "./denial.ts";

/** The part of a catalog that exists for one agent. */
export interface PermittedPart {
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** Says whether the agent may know of a name: it is not denied, or there is no such tool. */
  readonly allows: (name: string) => boolean;
  /** The tool of a name with the ways that are open to the agent. */
  readonly find: (name: string) => ToolboxTool | undefined;
  /** The tool of a name that the host holds back. */
  readonly findHeld: (name: string) => ToolDefinition | undefined;
}

/**
 * Takes out of a catalog what is denied, and what is not among `allow` where that is given, by
 * folded name; worked out once per catalog.
 */
export function createPermitted(
  denial: Denial,
  only?: ReadonlySet<string>,
): (catalog: ToolboxCatalog) => PermittedPart {
  let last: { readonly catalog: ToolboxCatalog; readonly part: PermittedPart } | undefined;
  return (catalog) => {
    if (last?.catalog !== catalog) {
      const isWhole = denial.isEmpty && only === undefined;
      last = { catalog, part: isWhole ? wholeOf(catalog) : withoutDenied(catalog, denial, only) };
    }
    return last.part;
  };
}

function wholeOf({ definitions, groups, tools, quarantined }: ToolboxCatalog): PermittedPart {
  return {
    definitions,
    groups,
    allows: () => true,
    find: (name) => tools.get(foldCase(name)),
    findHeld: (name) => quarantined.get(foldCase(name))?.definition,
  };
}

function withoutDenied(
  { definitions, groups, tools, quarantined }: ToolboxCatalog,
  denial: Denial,
  only: ReadonlySet<string> | undefined,
): PermittedPart {
  const refused = new Set<string>();
  for (const [key, { definition, fallback }] of tools) {
    // Known by name now, by identity later.
    if (fallback !== undefined) denial.denies(fallback.definition);
    if (denial.denies(definition)) refused.add(key);
  }
  const allows = (name: string): boolean => {
    const key = foldCase(name);
    return !refused.has(key) && only?.has(key) !== false && !denial.deniesName(name);
  };
  const nameOf = (name: string): string | undefined => (allows(name) ? name : undefined);
  return {
    definitions: definitions.filter(({ name }) => allows(name)),
    groups: normalizeGroups(groups.map((group) => ({ group, nameOf }))),
    allows,
    find(name) {
      const tool = allows(name) ? tools.get(foldCase(name)) : undefined;
      if (tool?.fallback === undefined || !denial.denies(tool.fallback.definition)) return tool;
      const { fallback: _denied, ...rest } = tool;
      return rest;
    },
    findHeld(name) {
      const held = allows(name) ? quarantined.get(foldCase(name))?.definition : undefined;
      return held === undefined || denial.denies(held) ? undefined : held;
    },
  };
}
