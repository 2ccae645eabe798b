import {
  cleanText,
  type Diagnostic,
  type Event,
  type QuarantinedTool,
  type Subscription,
  type ToolDefinition,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import { createEvent, foldCase, sameDefinition } from "@hostside/core/implement";
import type { ToolboxAdmission } from "./admit-tools.ts";
import { inspectDefinition } from "./inspect-definition.ts";
import { type DeclaredGroup, normalizeGroups } from "./normalize-groups.ts";
import { type Precedence, settleNameClash, verdicts } from "./settle-name-clash.ts";
import { localOrigin, type StaticTool } from "./static-tool.ts";
import type { ProviderRoute, Route, ToolboxCatalog, ToolboxTool } from "./toolbox-catalog.ts";

/** The catalog of the moment. */
export interface FollowedSources {
  /** The current snapshot; built anew when a provider's revision is another one than last time. */
  read(): ToolboxCatalog;
  /** Counts the snapshots that were built. */
  readonly revision: number;
  /** Only somebody who listens pays for finding what changed. */
  readonly onChange: Event<ToolsChange>;
  /** Decides about all tools once more. Throws an `Error` when whoever decides calls it. */
  readmit(): void;
  /** Ends all subscriptions; the last snapshot stays. */
  close(): void;
}

/** Follows the sources. Subscribes to nothing before somebody listens. */
export function followSources(sources: CatalogSources): FollowedSources {
  const { providers } = sources;
  const changes = createEvent<ToolsChange>();
  let subscriptions: readonly Subscription[] | undefined;
  let closed = false;
  let revision = 0;
  let seen: readonly number[] = [];
  let current: ToolboxCatalog | undefined;

  let isMerging = false;
  let mustMerge = false;
  const read = (): ToolboxCatalog => {
    if (isMerging && current === undefined)
      throw new Error("the tools are being merged; nothing can be read of them yet");
    if ((closed || isMerging) && current !== undefined) return current;
    const isSeen = !mustMerge && providers.every(({ revision: one }, index) => Object.is(one, seen[index]));
    if (current !== undefined && isSeen) return current;
    const revisions = providers.map(({ revision: one }) => one);
    isMerging = true;
    try {
      current = mergeSources(sources);
    } finally {
      isMerging = false;
    }
    seen = revisions;
    revision += 1;
    mustMerge = false;
    return current;
  };

  // What listeners heard of last; reads in between must not swallow a change.
  let announced: ToolboxCatalog | undefined;
  const announce = (): void => {
    const before = announced;
    announced = read();
    const change = before === undefined ? undefined : findChanges(before, announced);
    if (change !== undefined) changes.emit(change);
  };

  return {
    read,
    get revision() {
      read();
      return revision;
    },
    onChange(listener) {
      if (!closed && subscriptions === undefined) {
        announced = read();
        subscriptions = providers.map((provider) => provider.onToolsChanged(announce));
      }
      return changes.on(listener);
    },
    readmit() {
      if (isMerging) throw new Error("readmit() was called by admit(), which it asks");
      sources.admission.forget();
      mustMerge = true;
      if (subscriptions !== undefined) announce();
    },
    close() {
      read();
      closed = true;
      for (const end of subscriptions ?? []) end();
      changes.close();
    },
  };
}

/**
 * Finds what changed between two snapshots, by the names under which tools are listed; `undefined`
 * when nothing did.
 */
function findChanges(before: ToolboxCatalog, after: ToolboxCatalog): ToolsChange | undefined {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  for (const [key, { definition }] of after.tools) {
    const old = before.tools.get(key)?.definition;
    if (old === undefined) added.push(definition.name);
    else if (!sameDefinition(old, definition)) changed.push(definition.name);
  }
  for (const [key, { definition }] of before.tools) if (!after.tools.has(key)) removed.push(definition.name);
  if (added.length + removed.length + changed.length === 0) return undefined;
  return { added: added.sort(), removed: removed.sort(), changed: changed.sort() };
}

/** The parts of a catalog. */
interface CatalogSources {
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
  const listings = providers.map((provider) => readProvider(provider, diagnostics));
  for (const { provider, tools } of listings) {
    for (const [definition, original] of tools) {
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
  const held = heldByProviders(listings, merged);
  const quarantined = admission.sort(merged, (problem) => diagnostics.push(problem));
  return {
    tools: merged,
    quarantined: new Map([...held, ...quarantined]),
    definitions: Array.from(merged.values(), ({ definition }) => definition),
    groups: normalizeGroups(declaredGroups(statics, listings, merged)),
    diagnostics,
  };
}

/** Reads a provider that may be the product's own. If it throws, it has nothing and is reported. */
function readProvider(provider: ToolProvider, diagnostics: Diagnostic[]) {
  try {
    const tools = provider.tools().map((original) => [inspectDefinition(original), original] as const);
    return { provider, tools, groups: provider.groups(), quarantined: provider.quarantined?.() ?? [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : "it threw no error";
    const message = `provider ${JSON.stringify(provider.name)} is at fault: ${why}`;
    diagnostics.push({ kind: "defect", serverId: "", message: cleanText(message, 300) });
    return { provider, tools: [], groups: [], quarantined: [] };
  }
}

type ProviderListing = ReturnType<typeof readProvider>;

/** The tools that providers hold back themselves, by names that no other tool has. */
function heldByProviders(
  listings: readonly ProviderListing[],
  merged: ReadonlyMap<string, ToolboxTool>,
): ReadonlyMap<string, QuarantinedTool> {
  const held = new Map<string, QuarantinedTool>();
  for (const tool of listings.flatMap(({ quarantined }) => quarantined)) {
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
  listings: readonly ProviderListing[],
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
  const provided = listings.flatMap(({ provider, groups }) => {
    const nameOf = ownedBy((route) => route.kind === "provider" && route.provider === provider);
    return groups.map((group) => ({ group, nameOf }));
  });
  return [...bundles, ...provided];
}

function shown({ name }: ToolDefinition): string {
  return cleanText(name, 80);
}
