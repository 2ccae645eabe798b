/** The end of a stream of bytes. */
export interface LastBytes {
  push(chunk: Buffer): void;
  /** A copy of what is kept, oldest first. */
  read(): Buffer;
  /** How many bytes there were in all. */
  readonly totalBytes: number;
}

/**
 * Keeps the last `maxBytes` bytes, in memory of that size that is taken when the first ones come.
 */
export function createLastBytes(maxBytes: number): LastBytes {
  return new RingOfBytes(maxBytes);
}

// A class, because each process has one.
class RingOfBytes implements LastBytes {
  totalBytes = 0;
  readonly #maxBytes: number;
  #ring: Buffer | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    const maxBytes = this.#maxBytes;
    this.#ring ??= Buffer.allocUnsafeSlow(maxBytes);
    const kept = chunk.subarray(-maxBytes);
    const copied = kept.copy(this.#ring, (this.totalBytes + chunk.length - kept.length) % maxBytes);
    kept.copy(this.#ring, 0, copied);
    this.totalBytes += chunk.length;
  }

  read(): Buffer {
    const ring = this.#ring;
    if (!ring) return Buffer.alloc(0);
    const start = this.totalBytes <= this.#maxBytes ? 0 : this.totalBytes % this.#maxBytes;
    return Buffer.concat([ring.subarray(start, this.totalBytes), ring.subarray(0, start)]);
  }
}
