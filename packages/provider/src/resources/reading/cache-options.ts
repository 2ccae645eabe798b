import { assertKnownOptions, type Fields, readWholeNumber } from "@hostside/core/implement";

/** How long and how much of what was read is given again. */
export interface ReadCacheOptions {
  /**
   * How long, in milliseconds. Default 30,000. A server of 2026-07-28 says itself how long; the
   * shorter time counts.
   */
  readonly ttlMs?: number | undefined;
  /** Default 256 reads; the one that was not asked for longest goes first. */
  readonly maxEntries?: number | undefined;
  /**
   * Of all reads and their keys, as two bytes for each UTF-16 unit. Default 16 MiB; a read that is
   * larger is not kept.
   */
  readonly maxBytes?: number | undefined;
}

/** The same, read. */
export type CacheSettings = { readonly [Name in keyof ReadCacheOptions]-?: number };

const fields: Fields<ReadCacheOptions> = { ttlMs: true, maxEntries: true, maxBytes: true };

/**
 * Reads the options of the cache; `undefined` for none. Throws a `TypeError` that names what cannot
 * be used.
 */
export function readCacheOptions(options: ReadCacheOptions | undefined): CacheSettings | undefined {
  if (options === undefined) return undefined;
  assertKnownOptions("cache", options, fields);
  const { ttlMs, maxEntries, maxBytes } = options;
  return {
    ttlMs: readWholeNumber(ttlMs, "cache.ttlMs", { least: 1, otherwise: 30_000 }),
    maxEntries: readWholeNumber(maxEntries, "cache.maxEntries", { least: 1, most: 1_000_000, otherwise: 256 }),
    maxBytes: readWholeNumber(maxBytes, "cache.maxBytes", { least: 1, otherwise: 16 * 1024 * 1024 }),
  };
}
