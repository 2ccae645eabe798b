import { assertKnownOptions, readWholeNumber, type Fields } from "@hostside/core/implement";
import type { BlobSink } from "./blob-sink.ts";
import { createSinkRoom, randomName } from "./sink-room.ts";

/** Options of {@linkcode createMemorySink}. */
export interface MemorySinkOptions {
  /** Bytes of all blobs together. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** How long each is kept, in milliseconds. Default an hour. */
  readonly ttlMs?: number | undefined;
}

/** A sink in memory, with an end. */
export interface MemorySink extends BlobSink {
  /** Forgets everything; what is put later is refused as `"closed"`. Idempotent. */
  close(): Promise<void>;
}

const fields: Fields<MemorySinkOptions> = { maxBytes: true, ttlMs: true };

/**
 * Keeps up to 1,000 blobs in memory, without a timer: what is too old is never given out, and goes
 * when the next blob comes.
 *
 * @example
 * const sink = createMemorySink({ maxBytes: 16 * 1024 * 1024 });
 */
export function createMemorySink(options: MemorySinkOptions = {}): MemorySink {
  assertKnownOptions("createMemorySink()", options, fields);
  const room = createSinkRoom({
    maxBytes: readWholeNumber(options.maxBytes, "maxBytes", { least: 1, otherwise: 64 * 1024 * 1024 }),
    maxBlobs: 1000,
    ttlMs: readWholeNumber(options.ttlMs, "ttlMs", { least: 1, otherwise: 3_600_000 }),
  });
  const blobs = new Map<string, Uint8Array>();
  let isClosed = false;
  const remove = (key: string): boolean => {
    blobs.delete(key);
    return room.remove(key);
  };
  return {
    async put({ data }, { signal } = {}) {
      signal?.throwIfAborted();
      if (isClosed) return { kept: false, reason: "closed" };
      for (const key of room.expired()) remove(key);
      const reason = room.findRefusal(data.length);
      if (reason !== undefined) return { kept: false, reason };
      const key = randomName();
      room.add(key, data.length);
      blobs.set(key, data);
      return { kept: true, key };
    },
    read: async (key) => (room.isLive(key) ? blobs.get(key)?.slice() : undefined),
    delete: async (key) => remove(key),
    async close() {
      isClosed = true;
      for (const key of blobs.keys()) remove(key);
    },
  };
}
