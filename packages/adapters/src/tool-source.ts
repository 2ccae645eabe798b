import type { CallOptions, ToolDefinition, ToolOutcome } from "@toolport/core";

/**
 * Where an adapter has its tools from: a view of a toolbox, which is what a conversation should have, a toolbox, or a provider. What
 * `definitions()` returns is declared with the next request, in that order.
 */
export interface ToolSource {
  definitions(): readonly ToolDefinition[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
}

/** Throws a `TypeError` for what is no source, such as a promise of one. */
export function assertToolSource(source: ToolSource | null | undefined): void {
  if (typeof source?.definitions === "function" && typeof source.call === "function") return;
  throw new TypeError("source must be a view, a toolbox or a provider: it needs definitions() and call()");
}
