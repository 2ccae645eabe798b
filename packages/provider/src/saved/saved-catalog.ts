import type { JsonObject } from "@hostside/core";

/**
 * What the servers of a provider listed last, as JSON, so that tools are on offer at once after a
 * restart, or in another process.
 */
export interface SavedCatalog {
  readonly version: 1;
  /** Sorted by server id. */
  readonly servers: readonly SavedListing[];
}

/**
 * What one server listed last. Holds no credential, and nothing that was made of one; but a
 * `private` one is for the eyes of its principal alone.
 */
export interface SavedListing {
  readonly serverId: string;
  /**
   * A hash of how the server was reached, without credentials; of a `private` listing also for
   * whom.
   */
  readonly reachedBy: string;
  /** When it came in: milliseconds since 1970. */
  readonly listedAt: number;
  /** For how long from then on the server says that it holds; 0 where it does not say. */
  readonly ttlMs: number;
  /** `"public"` only where the server says so. */
  readonly cacheScope: "public" | "private";
  /** Why it stops before the server's end of it. */
  readonly truncated?: string;
  /** What the server says of itself. */
  readonly server: JsonObject;
  /** As they were listed, with `absent` for members of `extras` that stand for none. */
  readonly tools: readonly JsonObject[];
}

/** The format that is written here. */
export const catalogVersion = 1;
