import type { ToolIdentity } from "./tool-identity.ts";

/** Orders texts by their UTF-16 units: the same on every machine, unlike a locale's order. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders pairs by server id, then by remote name. */
export function byIdentity(a: ToolIdentity, b: ToolIdentity): number {
  return compareText(a.serverId, b.serverId) || compareText(a.toolName, b.toolName);
}
