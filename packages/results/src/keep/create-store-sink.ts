import type { Store } from "@hostside/core";
import { assertKnownOptions, isPlainObject, readWholeNumber, type Fields } from "@hostside/core/implement";
import type { BlobSink } from "./blob-sink.ts";
import { decodeBase64, encodeBase64 } from "./encode-base64.ts";
import { createSinkRoom, randomName } from "./sink-room.ts";

/** Options of {@linkcode createStoreSink}. */
export interface StoreSinkOptions {
  /** Shared by all who are to read what one of them kept. */
  readonly store: Store;
  /**
   * Bytes of one blob. Default 1 MiB: long texts, and not the pictures and archives that a database
   * is no place for.
   */
  readonly maxBlobBytes?: number | undefined;
  /** How long each is kept, in milliseconds. Default an hour. */
  readonly ttlMs?: number | undefined;
  /** The sink for larger ones. Stays open. Default: they are refused as `"too-large"`. */
  readonly larger?: BlobSink | undefined;
}

const fields: Fields<StoreSinkOptions> = { store: true, maxBlobBytes: true, ttlMs: true, larger: true };
const prefix = "store:";

/**
 * Keeps blobs in a store, as base64, so that every process that shares the store can read them. One
 * process keeps up to 10,000 there, of 64 MiB together.
 *
 * Throws a `TypeError` for options that make no sense.
 *
 * @example
 * const sink = createStoreSink({ store: createRedisState(client).store });
 */
export function createStoreSink(options: StoreSinkOptions): BlobSink {
  assertKnownOptions("createStoreSink()", options, fields);
  const { store, larger } = options;
  if (typeof store?.get !== "function") throw new TypeError("store must have get(), set(), delete()");
  if (larger !== undefined && typeof larger.put !== "function") {
    throw new TypeError("larger must have put(), read(), delete()");
  }
  const maxBlobBytes = readWholeNumber(options.maxBlobBytes, "maxBlobBytes", { least: 1, otherwise: 1024 * 1024 });
  const ttlMs = readWholeNumber(options.ttlMs, "ttlMs", { least: 1, otherwise: 3_600_000 });
  const room = createSinkRoom({ maxBytes: 64 * 1024 * 1024, maxBlobs: 10_000, ttlMs });
  return {
    async put(blob, putOptions = {}) {
      const { data } = blob;
      putOptions.signal?.throwIfAborted();
      if (data.length > maxBlobBytes) return larger?.put(blob, putOptions) ?? { kept: false, reason: "too-large" };
      for (const key of room.expired()) room.remove(key);
      const reason = room.findRefusal(data.length);
      if (reason !== undefined) return { kept: false, reason };
      const key = `${prefix}${randomName()}`;
      room.add(key, data.length);
      try {
        await store.set(storeKey(key), { version: 1, value: encodeBase64(data) }, ttlMs);
        return { kept: true, key };
      } catch (error) {
        room.remove(key);
        throw error;
      }
    },
    async read(key) {
      return key.startsWith(prefix) ? readBlob(await store.get(storeKey(key))) : larger?.read(key);
    },
    async delete(key) {
      if (!key.startsWith(prefix)) return larger?.delete(key);
      room.remove(key);
      return store.delete(storeKey(key));
    },
  };
}

function storeKey(key: string): string {
  return `hostside-results:blob:${key.slice(prefix.length)}`;
}

function readBlob(stored: unknown): Uint8Array | undefined {
  if (!isPlainObject(stored) || stored["version"] !== 1 || typeof stored["value"] !== "string") return undefined;
  try {
    return decodeBase64(stored["value"]);
  } catch {
    // Not what was written: as good as gone.
    return undefined;
  }
}
