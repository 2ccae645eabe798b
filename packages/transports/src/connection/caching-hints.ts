import type { Clock, JsonObject, ToolListing } from "@hostside/core";

/** What the pages of one listing say of how long it holds, and for whom. */
export interface CachingHints {
  /** Takes in a page that has just come. */
  add(page: JsonObject): void;
  /**
   * Of all pages so far: what holds for the one that ends first, from now on; `private` if any page
   * is.
   */
  read(): Pick<ToolListing, "ttlMs" | "cacheScope">;
}

/**
 * Reads the hints of 2026-07-28. A page without them, or with something else in their place, holds
 * for no time, and for whoever asked alone.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function createCachingHints(clock: Clock): CachingHints {
  let until = Number.POSITIVE_INFINITY;
  let isPublic = true;
  return {
    add({ ttlMs, cacheScope }) {
      until = Math.min(until, clock.now() + lifetimeOf(ttlMs));
      isPublic &&= cacheScope === "public";
    },
    read() {
      if (until === Number.POSITIVE_INFINITY) return {};
      const ttlMs = Math.max(0, Math.floor(until - clock.now()));
      return { ...(ttlMs > 0 && { ttlMs }), ...(isPublic && { cacheScope: "public" }) };
    },
  };
}

function lifetimeOf(ttlMs: unknown): number {
  return typeof ttlMs === "number" && Number.isFinite(ttlMs) ? Math.max(0, ttlMs) : 0;
}
