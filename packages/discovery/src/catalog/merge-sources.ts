import {
  type Diagnostic,
  type QuarantinedTool,
  type ToolDefinition,
  type ToolProvider,
  cleanText,
} from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { ToolboxAdmission } from "./admit-tools.ts";
import type { ProviderRoute, Route, ToolboxCatalog, ToolboxTool } from "./toolbox-catalog.ts";
import { inspectDefinition } from "./inspect-definition.ts";
import { type DeclaredGroup, normalizeGroups } from "./normalize-groups.ts";
import { type Precedence, settleNameClash, verdicts } from "./settle-name-clash.ts";
import { type StaticTool, localOrigin } from "./static-tool.ts";

/** The parts of a catalog. */
export interface CatalogSources {
  readonly tools: readonly StaticTool[];
  /** In order of precedence. */
  readonly providers: readonly ToolProvider[];
  readonly precedence: Precedence;
  /** Folded names that no provider may use. */
  readonly reserved: ReadonlySet<string>;
  /** Decides which of all these are on offer. */
  readonly admission: ToolboxAdmission;
}

/** Merges the sources. Reads the providers' current snapshots and changes nothing. */
export function mergeSources(sources: CatalogSources): ToolboxCatalog {
  const { tools: statics, providers, precedence, reserved, admission } = sources;
  const merged = new Map<string, ToolboxTool>();
  const diagnostics: Diagnostic[] = [];
  const report = (kind: Diagnostic["kind"], definition: ToolDefinition, message: string): void => {
    diagnostics.push({ kind, serverId: definition.origin?.serverId ?? "", message, toolName: definition.name });
  };

  for (const tool of statics) merged.set(foldCase(tool.definition.name), staticEntry(tool));
  for (const provider of providers) {
    for (const original of provider.tools()) {
      const definition = inspectDefinition(original);
      const route: ProviderRoute = { kind: "provider", provider, definition: original };
      const key = foldCase(definition.name);
      if (definition.flags !== undefined && definition.flags.length > 0) {
        report("text-flagged", definition, `texts of "${shown(definition)}" contain: ${definition.flags.join(", ")}`);
      }
      if (reserved.has(key)) {
        report(
          "name-collision",
          definition,
          `"${shown(definition)}" is the name of a discovery helper and was left out`,
        );
        continue;
      }
      const owner = merged.get(key);
      const rule = owner === undefined ? "provider" : settleNameClash(owner, route, precedence);
      if (owner !== undefined) {
        report(
          "name-collision",
          definition,
          `"${shown(definition)}" is in more than one source; ${verdicts[rule]} wins`,
        );
      }
      if (rule === "fallback" && owner !== undefined) merged.set(key, { ...owner, fallback: { definition, route } });
      if (rule !== "provider") continue;
      // Deleted first, so that the tool is listed where its provider's tools are.
      if (owner !== undefined) merged.delete(key);
      merged.set(key, { definition, route });
    }
  }
  const held = heldByProviders(providers, merged);
  const quarantined = admission.sort(merged, (problem) => diagnostics.push(problem));
  return {
    tools: merged,
    quarantined: new Map([...held, ...quarantined]),
    definitions: Array.from(merged.values(), ({ definition }) => definition),
    groups: normalizeGroups(declaredGroups(statics, providers, merged)),
    diagnostics,
  };
}

/** The tools that providers hold back themselves, by names that no other tool has. */
function heldByProviders(
  providers: readonly ToolProvider[],
  merged: ReadonlyMap<string, ToolboxTool>,
): ReadonlyMap<string, QuarantinedTool> {
  const held = new Map<string, QuarantinedTool>();
  for (const tool of providers.flatMap((provider) => provider.quarantined?.() ?? [])) {
    const key = foldCase(tool.definition.name);
    if (!merged.has(key) && !held.has(key)) held.set(key, tool);
  }
  return held;
}

function staticEntry(tool: StaticTool): ToolboxTool {
  const { definition, bundle } = tool;
  const groupIds = bundle === undefined ? {} : { groupIds: [bundle.id.trim()] };
  return {
    definition: { ...definition, ...groupIds, origin: localOrigin(definition.name) },
    route: { kind: "static", tool },
  };
}

function declaredGroups(
  statics: readonly StaticTool[],
  providers: readonly ToolProvider[],
  tools: ReadonlyMap<string, ToolboxTool>,
): readonly DeclaredGroup[] {
  const ownedBy =
    (isOwner: (route: Route) => boolean) =>
    (member: string): string | undefined => {
      const entry = tools.get(foldCase(member));
      return entry !== undefined && isOwner(entry.route) ? entry.definition.name : undefined;
    };
  const bundles = statics.flatMap((tool) => {
    if (tool.bundle === undefined) return [];
    const nameOf = ownedBy((route) => route.kind === "static" && route.tool === tool);
    return [{ group: { ...tool.bundle, members: [tool.definition.name] }, nameOf }];
  });
  const provided = providers.flatMap((provider) => {
    const nameOf = ownedBy((route) => route.kind === "provider" && route.provider === provider);
    return provider.groups().map((group) => ({ group, nameOf }));
  });
  return [...bundles, ...provided];
}

function shown({ name }: ToolDefinition): string {
  return cleanText(name, 80);
}
