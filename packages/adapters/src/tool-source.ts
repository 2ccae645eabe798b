import type { CallOptions, ToolDefinition, ToolOutcome } from "@toolport/core";

/**
 * Where an adapter has its tools from: a view of a toolbox, which is what a conversation should have, a toolbox, or a provider. What
 * `definitions()` returns is declared with the next request, in that order.
 */
export interface ToolSource {
  definitions(): readonly ToolDefinition[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
}
