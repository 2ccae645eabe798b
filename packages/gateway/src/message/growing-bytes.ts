/** Bytes that come in pieces. */
export interface GrowingBytes {
  readonly size: number;
  /** Copies a piece: a view of one byte costs hundreds, and keeps the memory that it is of. */
  add(piece: Uint8Array): void;
  /** All of them, and starts anew. */
  take(): Uint8Array;
}

const nothing = new Uint8Array(0);

/**
 * Makes it. The caller checks the size before it adds. The buffer is at most twice as large as its
 * content, and is never allocated ahead beyond `maxBytes`.
 */
export function createGrowingBytes(maxBytes: number): GrowingBytes {
  let room = nothing;
  let size = 0;
  const makeRoom = (needed: number): void => {
    const grown = new Uint8Array(Math.max(needed, Math.min(room.length * 2, maxBytes)));
    grown.set(room.subarray(0, size));
    room = grown;
  };
  return {
    get size() {
      return size;
    },
    add(piece) {
      const needed = size + piece.length;
      if (needed > room.length) makeRoom(needed);
      room.set(piece, size);
      size = needed;
    },
    take() {
      const all = room.subarray(0, size);
      room = nothing;
      size = 0;
      return all;
    },
  };
}
