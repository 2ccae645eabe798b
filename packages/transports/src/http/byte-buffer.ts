/** Collects bytes up to a bound. */
export interface ByteBuffer {
  /** Bytes collected so far. */
  readonly length: number;
  /** Takes `chunk`, which must not change afterwards. Throws what `tooLarge` returns when the bound is passed. */
  push(chunk: Uint8Array): void;
  /** Hands over what was collected, and starts anew. */
  take(): Uint8Array;
}

const empty = new Uint8Array(0);

/**
 * Makes an empty buffer. Its memory is at most twice the bytes in it, however small the pieces are that they come in. `expected` is
 * how many there will be, if that is known; a single piece is not copied at all.
 */
export function createByteBuffer(maxBytes: number, tooLarge: () => Error, expected = 0): ByteBuffer {
  // The bytes are the first `length` ones; there is room for more only after the first copy.
  let bytes: Uint8Array = empty;
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(chunk) {
      const total = length + chunk.length;
      if (total > maxBytes) throw tooLarge();
      if (length === 0) {
        bytes = chunk;
      } else {
        if (total > bytes.length) {
          const roomy = new Uint8Array(Math.min(Math.max(total, length * 2, expected), maxBytes));
          roomy.set(bytes.subarray(0, length));
          bytes = roomy;
        }
        bytes.set(chunk, length);
      }
      length = total;
    },
    take() {
      const taken = bytes.subarray(0, length);
      bytes = empty;
      length = 0;
      return taken;
    },
  };
}
