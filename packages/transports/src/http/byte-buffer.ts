/** Collects bytes up to a bound. */
export interface ByteBuffer {
  /** Bytes collected so far. */
  readonly length: number;
  /** Takes a copy of `chunk`. Throws what `tooLarge` returns when the bound is passed. */
  push(chunk: Uint8Array): void;
  /** Hands over what was collected, and starts anew. */
  take(): Uint8Array;
}

const empty = new Uint8Array(0);

/**
 * Makes an empty buffer. It takes at most twice `maxBytes` of memory, however small the pieces are that the bytes come in. `expected`
 * is how many bytes to make room for at first.
 */
export function createByteBuffer(maxBytes: number, tooLarge: () => Error, expected = 0): ByteBuffer {
  let bytes = expected > 0 ? new Uint8Array(Math.min(expected, maxBytes)) : empty;
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(chunk) {
      if (length + chunk.length > maxBytes) throw tooLarge();
      if (length + chunk.length > bytes.length) {
        const grown = new Uint8Array(Math.max(length + chunk.length, bytes.length * 2));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(chunk, length);
      length += chunk.length;
    },
    take() {
      const taken = bytes.subarray(0, length);
      bytes = empty;
      length = 0;
      return taken;
    },
  };
}
