import type { JsonObject, RemoteTool, ServerSpec } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** Decides for one server which of its tools are offered; made once per spec. */
export type ToolFilter = (tool: RemoteTool) => boolean;

/**
 * The filter of a spec: `allow` (empty or absent: all) and `deny` (always wins), both on the remote
 * name, exact and case-sensitive. A tool that declares itself for the server's own user interface
 * only is for no model.
 */
export function createToolFilter(spec: ServerSpec): ToolFilter {
  const isOffered = createNameFilter(spec);
  return ({ name, meta }) => isOffered(name) && (meta === undefined || isForModels(meta["ui"]));
}

/**
 * Whether a tool of a spec is for the server's own user interface alone: no model gets it, and a
 * host may call it for that interface.
 */
export function createAppFilter(spec: ServerSpec): ToolFilter {
  const isOffered = createNameFilter(spec);
  return ({ name, meta }) => meta !== undefined && isOffered(name) && !isForModels(meta["ui"]) && isForApps(meta);
}

/** Whether the server's own user interface may call a tool: unless its `_meta` says otherwise. */
export function isForApps(meta: JsonObject | undefined): boolean {
  return isFor("app", meta?.["ui"]);
}

/** The part of a spec's filter that goes by the remote name alone. */
export function createNameFilter({ allow = [], deny = [] }: ServerSpec): (toolName: string) => boolean {
  if (allow.length === 0 && deny.length === 0) return () => true;
  const included = new Set(allow);
  const excluded = new Set(deny);
  return (name) => (included.size === 0 || included.has(name)) && !excluded.has(name);
}

// https://github.com/modelcontextprotocol/ext-apps: `_meta.ui.visibility` lists who may use the tool; absent means everybody.
function isForModels(ui: unknown): boolean {
  return isFor("model", ui);
}

function isFor(who: "model" | "app", ui: unknown): boolean {
  const visibility = isJsonObject(ui) ? ui["visibility"] : undefined;
  return !Array.isArray(visibility) || visibility.includes(who);
}
