import type { Clock } from "@hostside/core";
import { assertKnownOptions, systemClock, type Fields } from "@hostside/core/implement";
import { createBlobQuota } from "./blob-quota.ts";
import type { BlobSink } from "./blob-sink.ts";
import { randomName, systemRandomBytes } from "./random-bytes.ts";
import { readCount } from "./read-count.ts";

/** Options of {@linkcode createMemorySink}. */
export interface MemorySinkOptions {
  /**
   * Of all blobs together. Default 64 MiB: some results of several megabytes for some
   * conversations.
   */
  readonly maxBytes?: number | undefined;
  /** Default 1,000. */
  readonly maxBlobs?: number | undefined;
  /** How long each is kept, in milliseconds. Default an hour. */
  readonly ttlMs?: number | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/** A sink in memory, with an end. */
export interface MemorySink extends BlobSink {
  /** Forgets everything; what is put later is refused as `"closed"`. Idempotent. */
  close(): Promise<void>;
}

const fields: Fields<MemorySinkOptions> = { maxBytes: true, maxBlobs: true, ttlMs: true, clock: true };

/**
 * Keeps blobs in the memory of this process. Without timers: what is too old is never given out,
 * and is let go when the next blob comes.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type.
 */
export function createMemorySink(options: MemorySinkOptions = {}): MemorySink {
  assertKnownOptions("createMemorySink()", options, fields);
  const { clock = systemClock } = options;
  const quota = createBlobQuota({
    maxBytes: readCount(options.maxBytes, "maxBytes", { otherwise: 64 * 1024 * 1024 }),
    maxBlobs: readCount(options.maxBlobs, "maxBlobs", { otherwise: 1000 }),
    ttlMs: readCount(options.ttlMs, "ttlMs", { otherwise: 3_600_000 }),
    clock,
  });
  const blobs = new Map<string, Uint8Array>();
  let isClosed = false;
  const remove = (key: string): boolean => {
    blobs.delete(key);
    return quota.remove(key);
  };
  return {
    async put({ data }, { signal } = {}) {
      signal?.throwIfAborted();
      if (isClosed) return { kept: false, reason: "closed" };
      for (const key of quota.expired()) remove(key);
      const reason = quota.reserve(data.length);
      if (reason !== undefined) return { kept: false, reason };
      const key = randomName(systemRandomBytes);
      quota.fill(key, data.length);
      blobs.set(key, data);
      return { kept: true, key };
    },
    async read(key, { offset, length }) {
      return quota.isLive(key) ? blobs.get(key)?.slice(offset, offset + length) : undefined;
    },
    delete: async (key) => remove(key),
    async close() {
      isClosed = true;
      for (const key of blobs.keys()) remove(key);
    },
  };
}
