/** Collects bytes up to a bound. */
export interface ByteBuffer {
  /** Bytes collected so far. */
  size(): number;
  /** Takes `chunk`, which must not change afterwards. Throws what `tooLarge` returns when the bound is passed. */
  push(chunk: Uint8Array): void;
  /** Hands over what was collected, and starts anew. */
  take(): Uint8Array;
}

const empty = new Uint8Array(0);
// To make room in larger steps, and copy what is there, would hold up everybody for milliseconds with each step of a large body.
const largestBlock = 256 * 1024;

/**
 * Makes an empty buffer. Its memory is at most twice the bytes in it, however small the pieces are that they come in. Each byte is copied
 * once when it comes, and once more when it is taken, or not at all where there is a single piece. `expected` is how many there will be,
 * if that is known; they are not copied again.
 */
export function createByteBuffer(maxBytes: number, tooLarge: () => Error, expected = 0): ByteBuffer {
  /** Those that are full. */
  let blocks: Uint8Array[] = [];
  /** The one that is being filled; at first a piece as it came, which has no room. */
  let block: Uint8Array = empty;
  let filled = 0;
  let length = 0;

  const makeRoom = (needed: number): void => {
    if (blocks.length === 0 && expected >= length + needed) {
      const roomy = new Uint8Array(Math.min(expected, maxBytes));
      roomy.set(block.subarray(0, filled));
      block = roomy;
      return;
    }
    blocks.push(block);
    block = new Uint8Array(Math.min(Math.max(needed, Math.min(length, largestBlock)), maxBytes - length));
    filled = 0;
  };
  const fill = (bytes: Uint8Array): void => {
    block.set(bytes, filled);
    filled += bytes.length;
    length += bytes.length;
  };
  return {
    size: () => length,
    push(chunk) {
      if (length + chunk.length > maxBytes) throw tooLarge();
      if (length === 0) {
        block = chunk;
        filled = length = chunk.length;
        return;
      }
      const fitting = chunk.subarray(0, block.length - filled);
      fill(fitting);
      if (fitting.length === chunk.length) return;
      makeRoom(chunk.length - fitting.length);
      fill(chunk.subarray(fitting.length));
    },
    take() {
      const taken =
        blocks.length === 0 ? block.subarray(0, filled) : join([...blocks, block.subarray(0, filled)], length);
      blocks = [];
      block = empty;
      filled = length = 0;
      return taken;
    },
  };
}

function join(blocks: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const block of blocks) {
    joined.set(block, at);
    at += block.length;
  }
  return joined;
}
