import type { Clock, Store } from "@hostside/core";
import { assertKnownOptions, isPlainObject, systemClock, type Fields } from "@hostside/core/implement";
import { createBlobQuota } from "./blob-quota.ts";
import type { BlobSink, PutResult } from "./blob-sink.ts";
import { decodeBase64, encodeBase64 } from "./encode-base64.ts";
import { randomName, systemRandomBytes } from "./random-bytes.ts";
import { readCount } from "./read-count.ts";

/** Options of {@linkcode createStoreSink}. */
export interface StoreSinkOptions {
  /** Shared by all who are to read what one of them kept. */
  readonly store: Store;
  /**
   * Of one blob. Default 1 MiB: long texts, and not the pictures and archives that a database is no
   * place for.
   */
  readonly maxBlobBytes?: number | undefined;
  /** Of all blobs together that this sink has put and that are not too old. Default 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** The same, as a number of blobs. Default 10,000. */
  readonly maxBlobs?: number | undefined;
  /** How long each is kept, in milliseconds. Default an hour. */
  readonly ttlMs?: number | undefined;
  /** Where larger ones go. Stays open. Default: they are refused as `"too-large"`. */
  readonly larger?: BlobSink | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

const fields: Fields<StoreSinkOptions> = {
  store: true,
  maxBlobBytes: true,
  maxBytes: true,
  maxBlobs: true,
  ttlMs: true,
  larger: true,
  clock: true,
};
const prefix = "hostside-results:blob:";
// Of a range, no more than its own pieces are asked for.
const pieceBytes = 128 * 1024;

/**
 * Keeps blobs in a store, in pieces of 128 KiB, so that every process that shares the store can
 * read them. Bounded in what one process keeps there: all of them together keep as many times that.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type.
 */
export function createStoreSink(options: StoreSinkOptions): BlobSink {
  assertKnownOptions("createStoreSink()", options, fields);
  const { store, larger, clock = systemClock } = options;
  assertParts(options);
  const maxBlobBytes = readCount(options.maxBlobBytes, "maxBlobBytes", { otherwise: 1024 * 1024 });
  const ttlMs = readCount(options.ttlMs, "ttlMs", { otherwise: 3_600_000 });
  const quota = createBlobQuota({
    maxBytes: readCount(options.maxBytes, "maxBytes", { otherwise: 64 * 1024 * 1024 }),
    maxBlobs: readCount(options.maxBlobs, "maxBlobs", { otherwise: 10_000 }),
    ttlMs,
    clock,
  });
  const write = async (data: Uint8Array, signal: AbortSignal | undefined): Promise<string> => {
    const name = randomName(systemRandomBytes);
    const key = `store:${data.length}:${name}`;
    try {
      for (const index of piecesOf(0, data.length)) {
        signal?.throwIfAborted();
        const piece = data.subarray(index * pieceBytes, (index + 1) * pieceBytes);
        await store.set(`${prefix}${name}:${index}`, { version: 1, value: encodeBase64(piece) }, ttlMs);
      }
      return key;
    } catch (error) {
      // Nobody knows the key: what is left grows old.
      await removeAll(store, name, data.length).catch(() => undefined);
      throw error;
    }
  };
  return {
    async put(blob, putOptions = {}): Promise<PutResult> {
      const { data } = blob;
      const { signal } = putOptions;
      signal?.throwIfAborted();
      if (data.length > maxBlobBytes) return larger?.put(blob, putOptions) ?? { kept: false, reason: "too-large" };
      for (const key of quota.expired()) quota.remove(key);
      const reason = quota.reserve(data.length);
      if (reason !== undefined) return { kept: false, reason };
      try {
        const key = await write(data, signal);
        quota.fill(key, data.length);
        return { kept: true, key };
      } catch (error) {
        quota.release(data.length);
        throw error;
      }
    },
    async read(key, range) {
      const place = readKey(key);
      return place === undefined ? larger?.read(key, range) : readPieces(store, place, range);
    },
    async delete(key) {
      const place = readKey(key);
      if (place === undefined) return larger?.delete(key);
      quota.remove(key);
      return removeAll(store, place.name, place.bytes);
    },
  };
}

interface StorePlace {
  readonly name: string;
  readonly bytes: number;
}

/** Where a blob is; `undefined` for a key that another sink gave. */
function readKey(key: string): StorePlace | undefined {
  const [, bytes = "", name = ""] = /^store:(\d{1,15}):([0-9a-f]{32})$/.exec(key) ?? [];
  return name === "" ? undefined : { name, bytes: Number(bytes) };
}

async function readPieces(
  store: Store,
  { name, bytes }: StorePlace,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array | undefined> {
  const start = Math.min(offset, bytes);
  const end = Math.min(bytes, start + length);
  const found = new Uint8Array(end - start);
  for (const index of piecesOf(start, end)) {
    const from = index * pieceBytes;
    // Past the end of the blob there is nothing to read, and nothing to miss.
    if (from >= bytes && bytes > 0) break;
    const piece = readPiece(await store.get(`${prefix}${name}:${index}`));
    if (piece?.length !== Math.min(pieceBytes, bytes - from)) return undefined;
    const first = Math.max(start, from);
    found.set(piece.subarray(first - from, Math.max(first - from, end - from)), first - start);
  }
  return found;
}

function readPiece(stored: unknown): Uint8Array | undefined {
  if (!isPlainObject(stored) || stored["version"] !== 1 || typeof stored["value"] !== "string") return undefined;
  try {
    return decodeBase64(stored["value"]);
  } catch {
    // Not what was written: as good as gone.
    return undefined;
  }
}

/**
 * The indexes of the pieces in which a range is; at least one, because an empty blob is there or
 * not, too.
 */
function piecesOf(start: number, end: number): readonly number[] {
  const first = Math.floor(start / pieceBytes);
  const count = Math.max(1, Math.ceil(end / pieceBytes) - first);
  return Array.from({ length: count }, (_, place) => first + place);
}

async function removeAll(store: Store, name: string, bytes: number): Promise<boolean> {
  let isThere = false;
  for (const index of piecesOf(0, bytes)) {
    isThere = (await store.delete(`${prefix}${name}:${index}`)) === true || isThere;
  }
  return isThere;
}

function assertParts({ store, larger }: StoreSinkOptions): void {
  const parts = { store: [store, ["get", "set", "delete"]], larger: [larger, ["put", "read", "delete"]] } as const;
  for (const [name, [part, members]] of Object.entries(parts)) {
    if (part === undefined && name === "larger") continue;
    const has = (member: string): boolean =>
      typeof part === "object" && part !== null && typeof Reflect.get(part, member) === "function";
    if (!members.every(has)) throw new TypeError(`${name} must have ${members.map((one) => `${one}()`).join(", ")}`);
  }
}
