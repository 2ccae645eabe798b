import { withGetters } from "@toolport/core/implement";
/** The end of a stream of bytes. */
export interface LastBytes {
  push(chunk: Buffer): void;
  /** A copy of what is kept, oldest first. */
  read(): Buffer;
  /** How many bytes there were in all. */
  readonly totalBytes: number;
}

/** Keeps the last `maxBytes` bytes, in memory of that size that is taken when the first ones come. */
export function createLastBytes(maxBytes: number): LastBytes {
  let ring: Buffer | undefined;
  let totalBytes = 0;
  return withGetters<LastBytes, "totalBytes">(
    {
      push(chunk) {
        ring ??= Buffer.allocUnsafeSlow(maxBytes);
        const kept = chunk.subarray(-maxBytes);
        const copied = kept.copy(ring, (totalBytes + chunk.length - kept.length) % maxBytes);
        kept.copy(ring, 0, copied);
        totalBytes += chunk.length;
      },
      read() {
        if (!ring) return Buffer.alloc(0);
        const start = totalBytes <= maxBytes ? 0 : totalBytes % maxBytes;
        return Buffer.concat([ring.subarray(start, totalBytes), ring.subarray(0, start)]);
      },
    },
    { totalBytes: () => totalBytes },
  );
}
