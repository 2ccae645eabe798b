import {
  type Diagnostic,
  type QuarantinedTool,
  type ToolDefinition,
  type ToolFlag,
  type ToolGroup,
  type ToolProvider,
  defaultLimits,
  truncateText,
} from "@hostside/core";
import { foldCase, inspectText } from "@hostside/core/implement";
import type { StaticTool } from "./static-tool.ts";

/** Who runs a tool. */
export type Route = { readonly kind: "static"; readonly tool: StaticTool } | ProviderRoute;

/** A definition, and who runs it. */
export interface RoutedTool {
  /** What a model sees, or would see of a fallback. */
  readonly definition: ToolDefinition;
  readonly route: Route;
}

/** One tool of the toolbox. */
export interface ToolboxTool extends RoutedTool {
  /** Tried when {@linkcode route} is out of service. */
  readonly fallback?: RoutedTool;
}

/** One immutable snapshot of everything the toolbox offers. */
export interface ToolboxCatalog {
  /** By folded name, in the order of {@linkcode definitions}. */
  readonly tools: ReadonlyMap<string, ToolboxTool>;
  /** Static tools in the order given, then each provider's tools in the provider's order. */
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** By folded name; what the host holds back. */
  readonly quarantined: ReadonlyMap<string, QuarantinedTool>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A provider's tool on its way into a catalog. */
interface InspectedTool {
  /** The folded name. */
  readonly key: string;
  /**
   * What the toolbox shows: the very same object that the provider has when its texts are plain and
   * short, otherwise a copy with texts cut to size and `flags` that say what is odd about them. A
   * definition that has flags already was looked at by its provider.
   */
  readonly definition: ToolDefinition;
  readonly route: ProviderRoute;
}

/** How to call a provider's tool. */
export interface ProviderRoute {
  readonly kind: "provider";
  readonly provider: ToolProvider;
  /** As the provider knows it. */
  readonly definition: ToolDefinition;
}

/** The way of providers' definitions into the toolbox and back. */
export interface Inspector {
  /**
   * Admits definitions of one provider. The same object in gives the same object out, so that a new
   * snapshot repeats no work.
   */
  from(provider: ToolProvider): (definition: ToolDefinition) => InspectedTool;
  /**
   * What the provider knows an inspected definition by; any other definition is returned as it is.
   */
  originalOf(definition: ToolDefinition): ToolDefinition;
}

// Nearly all texts are plain, and this one test is cheaper than looking for each anomaly.
const anomaly = /[^\t\n\r -~]/;
const maxTitleLength = 1024;

/** An inspector that remembers what it saw for as long as somebody else does. */
export function createInspector(): Inspector {
  const inspected = new WeakMap<ToolProvider, WeakMap<ToolDefinition, InspectedTool>>();
  const originals = new WeakMap<ToolDefinition, ToolDefinition>();
  return {
    from(provider) {
      const known = inspected.get(provider) ?? new WeakMap<ToolDefinition, InspectedTool>();
      inspected.set(provider, known);
      return (original) => {
        const before = known.get(original);
        if (before !== undefined) return before;
        const definition = inspectDefinition(original);
        const route: ProviderRoute = { kind: "provider", provider, definition: original };
        const tool = { key: foldCase(original.name), definition, route };
        known.set(original, tool);
        if (definition !== original) originals.set(definition, original);
        return tool;
      };
    },
    originalOf: (definition) => originals.get(definition) ?? definition,
  };
}

function inspectDefinition(definition: ToolDefinition): ToolDefinition {
  const { name, title, description, flags = [] } = definition;
  const shortTitle = title === undefined ? undefined : truncateText(title, maxTitleLength);
  const shortDescription = truncateText(description, defaultLimits.maxDescriptionLength);
  const found = new Set<ToolFlag>(flags);
  if (flags.length === 0) {
    for (const text of [name, shortTitle ?? "", shortDescription]) {
      if (anomaly.test(text)) for (const flag of inspectText(text)) found.add(flag);
    }
  }
  if (shortTitle !== title || shortDescription !== description) found.add("truncated");
  if (found.size === flags.length) return definition;
  const copy = {
    ...definition,
    ...(shortTitle !== undefined && { title: shortTitle }),
    description: shortDescription,
    flags: Array.from(found),
  };
  if (Object.hasOwn(copy, "fingerprint")) return copy;
  // Not listed among its members, so that it is made only for those who read it.
  return Object.defineProperties(copy, {
    fingerprint: { get: () => definition.fingerprint },
    entry: { get: () => definition.entry },
  });
}
