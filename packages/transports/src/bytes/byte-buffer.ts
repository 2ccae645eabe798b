/** Collects bytes up to a bound. */
export interface ByteBuffer {
  /** Bytes collected so far. */
  size(): number;
  /**
   * Takes `chunk`, which must not change afterwards. Throws what `tooLarge` returns when the bound
   * is passed.
   */
  push(chunk: Uint8Array): void;
  /** Hands over what was collected, and starts anew. */
  take(): Uint8Array;
}

const empty = new Uint8Array(0);
// To make room in larger steps, and copy what is there, would hold up everybody for milliseconds
// with each step of a large body.
const largestBlock = 256 * 1024;

/**
 * Makes an empty buffer. Its memory is at most twice the bytes in it, however small the pieces are
 * that they come in. Each byte is copied once when it comes, and once more when it is taken, or not
 * at all where there is a single piece. `expected` is how many there will be, if that is known;
 * they are not copied again.
 */
export function createByteBuffer(maxBytes: number, tooLarge: () => Error, expected = 0): ByteBuffer {
  return new BlocksOfBytes(maxBytes, tooLarge, expected);
}

// A class, because there is one for each answer.
class BlocksOfBytes implements ByteBuffer {
  readonly #maxBytes: number;
  readonly #tooLarge: () => Error;
  readonly #expected: number;
  /** Those that are full. */
  #blocks: Uint8Array[] | undefined;
  /** The one that is being filled; at first a piece as it came, which has no room. */
  #block: Uint8Array = empty;
  #filled = 0;
  #length = 0;

  constructor(maxBytes: number, tooLarge: () => Error, expected: number) {
    this.#maxBytes = maxBytes;
    this.#tooLarge = tooLarge;
    this.#expected = expected;
  }

  size(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#maxBytes) throw this.#tooLarge();
    if (this.#length === 0) {
      this.#block = chunk;
      this.#filled = this.#length = chunk.length;
      return;
    }
    const fitting = chunk.subarray(0, this.#block.length - this.#filled);
    this.#fill(fitting);
    if (fitting.length === chunk.length) return;
    this.#makeRoom(chunk.length - fitting.length);
    this.#fill(chunk.subarray(fitting.length));
  }

  take(): Uint8Array {
    const last = this.#block.subarray(0, this.#filled);
    const taken = this.#blocks === undefined ? last : join([...this.#blocks, last], this.#length);
    this.#blocks = undefined;
    this.#block = empty;
    this.#filled = this.#length = 0;
    return taken;
  }

  #makeRoom(needed: number): void {
    if (this.#blocks === undefined && this.#expected >= this.#length + needed) {
      const roomy = new Uint8Array(Math.min(this.#expected, this.#maxBytes));
      roomy.set(this.#block.subarray(0, this.#filled));
      this.#block = roomy;
      return;
    }
    (this.#blocks ??= []).push(this.#block);
    const roomy = Math.max(needed, Math.min(this.#length, largestBlock));
    this.#block = new Uint8Array(Math.min(roomy, this.#maxBytes - this.#length));
    this.#filled = 0;
  }

  #fill(bytes: Uint8Array): void {
    this.#block.set(bytes, this.#filled);
    this.#filled += bytes.length;
    this.#length += bytes.length;
  }
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
