import { createLastBytes } from "./last-bytes.ts";

const newline = 0x0a;
const firstCapacity = 16 * 1024;
// A buffer that one large line needed is given back; one of this size is kept for the next line.
const keptCapacity = 256 * 1024;
const excerptBytes = 1024;
const longBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

/** A line that was too long to keep, or of no use. Its middle is gone. */
export interface OversizedLine {
  /** Length of the whole line, in bytes. */
  readonly bytes: number;
  /** Its first 1,024 bytes. */
  readonly head: Buffer;
  /** Its last 1,024 bytes; overlaps the head when the limit is small. */
  readonly tail: Buffer;
}

/** What a {@linkcode LineSplitter} is made from. */
export interface LineSplitterInit {
  /** Longest line that is kept, in bytes, without its line feed. */
  readonly maxLineBytes: number;
  /**
   * A line is `bytes[start..end)`, without its line feed. The bytes are only valid during the call.
   */
  readonly onLine: (bytes: Buffer, start: number, end: number) => void;
  /** Called as soon as a line is too long, with its first 1,024 bytes. */
  readonly onTooLong?: (head: Buffer) => void;
  /**
   * Asked once of a line of more than 64 KiB, with what came of it so far: whether it is of no use.
   * The rest is dropped then, as of one that is too long.
   */
  readonly isUseless?: (beginning: Buffer) => boolean;
  /** Called at the end of a line that was too long, or of no use. */
  readonly onOversized: (line: OversizedLine) => void;
}

/** Cuts a stream of bytes at line feeds. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** The stream ended: what is left without a line feed is a line, too. */
  end(): void;
  /**
   * Bytes of the current line that were dropped because it is too long or of no use; 0 while it is
   * not.
   */
  readonly droppedBytes: number;
}

/**
 * Makes a splitter that holds at most `maxLineBytes` bytes (and two excerpts) whatever comes, finds
 * its way again at the next line feed after a line that is too long, and gives the same lines
 * however the stream is cut into chunks. It knows nothing of characters: a line feed byte never
 * occurs inside a multi-byte UTF-8 character.
 */
export function createLineSplitter(init: LineSplitterInit): LineSplitter {
  return new SplitLines(init);
}

// A class, because each process has two of them.
class SplitLines implements LineSplitter {
  readonly #init: LineSplitterInit;
  #held: Buffer = nothing;
  #heldBytes = 0;
  #oversized: Excerpt | undefined;

  constructor(init: LineSplitterInit) {
    this.#init = init;
  }

  get droppedBytes(): number {
    return this.#oversized?.bytes ?? 0;
  }

  push(chunk: Buffer): void {
    const init = this.#init;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (this.#heldBytes === 0 && this.#oversized === undefined && end - start <= init.maxLineBytes) {
        init.onLine(chunk, start, end);
      } else {
        this.#hold(chunk, start, end);
        this.#release();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk, start, chunk.length);
  }

  end(): void {
    if (this.#heldBytes > 0 || this.#oversized) this.#release();
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    const { maxLineBytes, onTooLong, isUseless } = this.#init;
    const part = chunk.subarray(start, end);
    const before = this.#heldBytes;
    const total = before + part.length;
    if (this.#oversized) {
      this.#oversized.push(part);
    } else if (total > maxLineBytes) {
      const { head } = this.#letGo(part).read();
      onTooLong?.(head);
    } else {
      if (total > this.#held.length) this.#held = grow(this.#held.subarray(0, before), total, maxLineBytes);
      part.copy(this.#held, before);
      this.#heldBytes = total;
      if (before > longBytes || total <= longBytes || isUseless === undefined) return;
      if (isUseless(this.#held.subarray(0, total))) this.#letGo(nothing);
    }
  }

  /** Keeps excerpts alone from now on. */
  #letGo(part: Buffer): Excerpt {
    const oversized = createExcerpt();
    this.#oversized = oversized;
    oversized.push(this.#held.subarray(0, this.#heldBytes));
    oversized.push(part);
    this.#held = nothing;
    this.#heldBytes = 0;
    return oversized;
  }

  #release(): void {
    const { onLine, onOversized } = this.#init;
    if (this.#oversized) {
      const line = this.#oversized.read();
      this.#oversized = undefined;
      onOversized(line);
    } else {
      const end = this.#heldBytes;
      this.#heldBytes = 0;
      onLine(this.#held, 0, end);
      if (this.#held.length > keptCapacity) this.#held = nothing;
    }
  }
}

// Doubles, so that a line that comes byte by byte is not copied once per byte.
function grow(held: Buffer, neededBytes: number, maxBytes: number): Buffer {
  const capacity = Math.max(neededBytes, Math.min(maxBytes, Math.max(firstCapacity, held.length * 2)));
  const larger = Buffer.allocUnsafeSlow(capacity);
  held.copy(larger);
  return larger;
}

interface Excerpt {
  push(part: Buffer): void;
  read(): OversizedLine;
  readonly bytes: number;
}

function createExcerpt(): Excerpt {
  const head = Buffer.alloc(excerptBytes);
  const tail = createLastBytes(excerptBytes);
  return {
    push(part) {
      if (tail.totalBytes < excerptBytes) part.copy(head, tail.totalBytes);
      tail.push(part);
    },
    read: () => ({ bytes: tail.totalBytes, head: head.subarray(0, tail.totalBytes), tail: tail.read() }),
    get bytes() {
      return tail.totalBytes;
    },
  };
}
