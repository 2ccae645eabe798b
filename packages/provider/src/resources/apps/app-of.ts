import type { JsonObject, ToolDefinition } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { longestUri } from "../listing/read-entry.ts";
import { isAppUri } from "@hostside/core/implement";

/** The app that shows what a tool answers. */
export interface AppReference {
  readonly serverId: string;
  /** Of the scheme `ui`; at most 8,192 UTF-16 units. */
  readonly uri: string;
}

/**
 * The app that a tool of a provider names in its `_meta`: as `ui.resourceUri`, or as
 * `ui/resourceUri`, which earlier servers have. `undefined` where it names none, or what cannot be
 * one. Whether the tool is for models, apps or both is another matter: a provider shows models only
 * what is for them.
 */
export function appOf(definition: Pick<ToolDefinition, "entry" | "origin">): AppReference | undefined {
  const { entry, origin } = definition;
  const meta = entry?.["_meta"];
  if (origin === undefined || !isJsonObject(meta)) return undefined;
  const uri = namedUri(meta);
  if (typeof uri !== "string" || !isAppUri(uri) || uri.length > longestUri) return undefined;
  return { serverId: origin.serverId, uri };
}

function namedUri(meta: JsonObject): unknown {
  const { ui } = meta;
  return (isJsonObject(ui) ? ui["resourceUri"] : undefined) ?? meta["ui/resourceUri"];
}
