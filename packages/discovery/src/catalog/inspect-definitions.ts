import { defaultLimits, truncateText, type ToolFlag, type ToolDefinition, type ToolProvider } from "@hostside/core";
import { foldCase, inspectText } from "@hostside/core/implement";

/** A provider's tool on its way into a catalog. */
export interface InspectedTool {
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
