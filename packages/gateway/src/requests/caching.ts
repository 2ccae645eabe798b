import type { JsonObject } from "@hostside/core";
import type { PeerContext } from "../peer/peer-context.ts";

/**
 * A list or a read as its era has it: 2026-07-28 wants to know for how long it may be kept and by
 * whom. Unless it is known, not at all, and by its reader alone.
 */
export function cacheable(
  { client }: PeerContext,
  result: JsonObject,
  { ttlMs = 0, cacheScope = "private" }: { readonly ttlMs?: number; readonly cacheScope?: string } = {},
): JsonObject {
  return client.era === "legacy" ? result : { ...result, ttlMs: Math.max(0, Math.trunc(ttlMs)), cacheScope };
}
