import { clock } from "@hostside/core/implement";
import type { BlobRefusal } from "./blob-sink.ts";

/** How much one sink keeps, and for how long. */
export interface RoomInit {
  readonly maxBytes: number;
  readonly maxBlobs: number;
  readonly ttlMs: number;
}

/** The blobs of one sink, by size and age. */
export interface SinkRoom {
  /** Why there is no room for so many bytes; `undefined` where there is. */
  findRefusal(bytes: number): BlobRefusal | undefined;
  /** Counts a blob, which may be some time old. */
  add(key: string, bytes: number, ageMs?: number): void;
  remove(key: string): boolean;
  has(key: string): boolean;
  /** True if a blob is there and not too old. */
  isLive(key: string): boolean;
  keys(): readonly string[];
  /** Lists keys that are too old. */
  expired(): readonly string[];
}

/** Makes an account of a sink. */
export function createSinkRoom({ maxBytes, maxBlobs, ttlMs }: RoomInit): SinkRoom {
  const blobs = new Map<string, { readonly bytes: number; readonly endsAt: number }>();
  let used = 0;
  const isLive = (key: string): boolean => (blobs.get(key)?.endsAt ?? Number.NEGATIVE_INFINITY) > clock.now();
  return {
    findRefusal(bytes) {
      if (bytes > maxBytes) return "too-large";
      return used + bytes > maxBytes || blobs.size >= maxBlobs ? "full" : undefined;
    },
    add(key, bytes, ageMs = 0) {
      used += bytes;
      blobs.set(key, { bytes, endsAt: clock.now() + ttlMs - ageMs });
    },
    remove(key) {
      used -= blobs.get(key)?.bytes ?? 0;
      return blobs.delete(key);
    },
    has: (key) => blobs.has(key),
    isLive,
    keys: () => Array.from(blobs.keys()),
    expired: () => Array.from(blobs.keys()).filter((key) => !isLive(key)),
  };
}

/** A name that nobody guesses: 32 hexadecimal digits. */
export function randomName(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Tells whether a text has the form of such a name. */
export function isRandomName(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
