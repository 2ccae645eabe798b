import type { Diagnostic, QuarantinedTool, ToolDefinition, ToolGroup, ToolProvider } from "@hostside/core";
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
