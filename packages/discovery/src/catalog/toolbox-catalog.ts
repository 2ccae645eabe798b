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
import { inspectText } from "@hostside/core/implement";
import type { StaticTool } from "./static-tool.ts";

/** The party that runs a tool. */
export type Route = { readonly kind: "static"; readonly tool: StaticTool } | ProviderRoute;

/** A definition, and who runs it. */
export interface RoutedTool {
  /** The definition that a model sees, or would see of a fallback. */
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

/** How to call a provider's tool. */
export interface ProviderRoute {
  readonly kind: "provider";
  readonly provider: ToolProvider;
  /** As the provider knows it. */
  readonly definition: ToolDefinition;
}

// Nearly all texts are plain, and this one test is cheaper than looking for each anomaly.
const anomaly = /[^\t\n\r -~]/;
const maxTitleLength = 1024;

// Definitions whose texts are plain, and both ways of the others.
const plain = new WeakSet<ToolDefinition>();
const inspected = new WeakMap<ToolDefinition, ToolDefinition>();
const originals = new WeakMap<ToolDefinition, ToolDefinition>();

/**
 * Bounds the texts of a provider's definition, and flags what hides in them. The same object in
 * gives the same object out, so that a new snapshot repeats no work.
 */
export function inspect(original: ToolDefinition): ToolDefinition {
  if (plain.has(original)) return original;
  const definition = inspected.get(original) ?? inspectTexts(original);
  if (definition === original) plain.add(original);
  else {
    inspected.set(original, definition);
    originals.set(definition, original);
  }
  return definition;
}

/** Returns what a provider knows an inspected definition by; any other one as it is. */
export function originalOf(definition: ToolDefinition): ToolDefinition {
  return originals.get(definition) ?? definition;
}

function inspectTexts(definition: ToolDefinition): ToolDefinition {
  const { name, title, description, flags = [] } = definition;
  const shortTitle = title === undefined ? undefined : truncateText(title, maxTitleLength);
  const shortDescription = truncateText(description, defaultLimits.maxDescriptionLength);
  const isWhole = shortTitle === title && shortDescription === description;
  const isOdd = (text: string): boolean => flags.length === 0 && anomaly.test(text);
  if (isWhole && !isOdd(name) && !isOdd(shortTitle ?? "") && !isOdd(shortDescription)) return definition;
  const texts = [name, shortTitle ?? "", shortDescription].filter(isOdd);
  const found = new Set<ToolFlag>([...flags, ...texts.flatMap((text) => Array.from(inspectText(text)))]);
  if (!isWhole) found.add("truncated");
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
