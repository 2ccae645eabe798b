import type { Clock } from "@hostside/core";
import type { BlobRefusal } from "./blob-sink.ts";

/** How much a sink keeps, and for how long. */
export interface QuotaInit {
  readonly maxBytes: number;
  readonly maxBlobs: number;
  readonly ttlMs: number;
  readonly clock: Clock;
}

/**
 * Counts what a sink keeps. What is about to be kept counts from its beginning, so that no order of
 * events goes beyond the bounds.
 */
export interface BlobQuota {
  readonly bytes: number;
  readonly blobs: number;
  /** Takes room for a blob that is not there yet. Why not, when there is none. */
  reserve(bytes: number): BlobRefusal | undefined;
  /** Gives reserved room back. */
  release(bytes: number): void;
  /** Reserved room has become a blob, which is young from now on, or as old as `ageMs` says. */
  fill(key: string, bytes: number, ageMs?: number): void;
  /** Counts what is there without being asked, such as the files of an earlier process. */
  found(key: string, bytes: number, ageMs: number): void;
  /** A blob is gone. Returns whether it was counted. */
  remove(key: string): boolean;
  /** Whether a blob is here and not too old. */
  isLive(key: string): boolean;
  /** Whether a blob is counted, however old. */
  has(key: string): boolean;
  /** All that are counted. */
  keys(): readonly string[];
  /** The blobs that are too old. They count until they are removed. */
  expired(): readonly string[];
}

/** Counts from nothing. */
export function createBlobQuota({ maxBytes, maxBlobs, ttlMs, clock }: QuotaInit): BlobQuota {
  const entries = new Map<string, { readonly bytes: number; readonly endsAt: number }>();
  let bytes = 0;
  let blobs = 0;
  const count = (size: number, by: 1 | -1): void => {
    bytes += size * by;
    blobs += by;
  };
  const fill = (key: string, size: number, ageMs = 0): void => {
    entries.set(key, { bytes: size, endsAt: clock.now() + ttlMs - ageMs });
  };
  return {
    get bytes() {
      return bytes;
    },
    get blobs() {
      return blobs;
    },
    reserve(size) {
      if (size > maxBytes) return "too-large";
      if (bytes + size > maxBytes || blobs >= maxBlobs) return "full";
      count(size, 1);
      return undefined;
    },
    release: (size) => count(size, -1),
    fill,
    found(key, size, ageMs) {
      count(size, 1);
      fill(key, size, ageMs);
    },
    remove(key) {
      const entry = entries.get(key);
      if (entry === undefined) return false;
      entries.delete(key);
      count(entry.bytes, -1);
      return true;
    },
    isLive: (key) => (entries.get(key)?.endsAt ?? Number.NEGATIVE_INFINITY) > clock.now(),
    has: (key) => entries.has(key),
    keys: () => Array.from(entries.keys()),
    expired() {
      const now = clock.now();
      const keys: string[] = [];
      // Each is looked at: what is found may be older than what was there before.
      for (const [key, { endsAt }] of entries) if (endsAt <= now) keys.push(key);
      return keys;
    },
  };
}
