const newline = 0x0a;
const firstCapacity = 16 * 1024;
// A larger buffer is given back after the line that needed it.
const keptCapacity = 256 * 1024;
const excerptBytes = 1024;
const nothing = Buffer.alloc(0);

/** A line that was too long to keep. Its middle is gone. */
export interface OversizedLine {
  /** Length of the whole line, in bytes. */
  readonly bytes: number;
  /** Its first 1,024 bytes. */
  readonly head: Buffer;
  /** Its last 1,024 bytes; overlaps the head when the limit is small. */
  readonly tail: Buffer;
}

/** The parts of {@linkcode LineSplitter}. */
export interface LineSplitterInit {
  /** Longest line that is kept, in bytes, without its line feed. */
  readonly maxLineBytes: number;
  /**
   * A line is `bytes[start..end)`, without its line feed. The bytes are only valid during the call.
   */
  readonly onLine: (bytes: Buffer, start: number, end: number) => void;
  /** Called as soon as a line is too long, with its first 1,024 bytes. */
  readonly onTooLong?: (head: Buffer) => void;
  /** Called at the end of a line that was too long. */
  readonly onOversized: (line: OversizedLine) => void;
}

/**
 * Cuts a stream of bytes at line feeds. It holds at most `maxLineBytes` bytes and two excerpts,
 * resumes at the next line feed after a line that is too long, and gives the same lines however the
 * stream is cut into chunks. A line feed byte never occurs inside a multi-byte UTF-8 character.
 */
export class LineSplitter {
  readonly #init: LineSplitterInit;
  #held: Buffer = nothing;
  #heldBytes = 0;
  #oversized: Excerpt | undefined;

  constructor(init: LineSplitterInit) {
    this.#init = init;
  }

  /** Bytes of the current line that were dropped because it is too long; 0 while it is not. */
  get droppedBytes(): number {
    return this.#oversized?.bytes ?? 0;
  }

  /** The current line as far as it is kept. */
  get unfinished(): string {
    return (this.#oversized?.read().head ?? this.#held.subarray(0, this.#heldBytes)).toString("utf8");
  }

  push(chunk: Buffer): void {
    const { maxLineBytes, onLine } = this.#init;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (this.#heldBytes === 0 && this.#oversized === undefined && end - start <= maxLineBytes) {
        onLine(chunk, start, end);
      } else {
        this.#hold(chunk.subarray(start, end));
        this.end();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The line is over, by a line feed or because the stream is. */
  end(): void {
    const { onLine, onOversized } = this.#init;
    const [oversized, end] = [this.#oversized, this.#heldBytes];
    this.#oversized = undefined;
    this.#heldBytes = 0;
    if (oversized !== undefined) onOversized(oversized.read());
    else if (end > 0) onLine(this.#held, 0, end);
    if (this.#held.length > keptCapacity) this.#held = nothing;
  }

  #hold(part: Buffer): void {
    const { maxLineBytes, onTooLong } = this.#init;
    const before = this.#heldBytes;
    const total = before + part.length;
    if (this.#oversized !== undefined) {
      this.#oversized.push(part);
    } else if (total > maxLineBytes) {
      this.#oversized = new Excerpt();
      this.#oversized.push(this.#held.subarray(0, before));
      this.#oversized.push(part);
      this.#held = nothing;
      this.#heldBytes = 0;
      onTooLong?.(this.#oversized.read().head);
    } else {
      if (total > this.#held.length) this.#held = grow(this.#held.subarray(0, before), total, maxLineBytes);
      part.copy(this.#held, before);
      this.#heldBytes = total;
    }
  }
}

class Excerpt {
  bytes = 0;
  readonly #head = Buffer.alloc(excerptBytes);
  readonly #tail = Buffer.alloc(excerptBytes);

  push(part: Buffer): void {
    if (this.bytes < excerptBytes) part.copy(this.#head, this.bytes);
    const end = part.subarray(-excerptBytes);
    this.#tail.copyWithin(0, end.length);
    end.copy(this.#tail, excerptBytes - end.length);
    this.bytes += part.length;
  }

  read(): OversizedLine {
    const kept = Math.min(this.bytes, excerptBytes);
    return { bytes: this.bytes, head: this.#head.subarray(0, kept), tail: this.#tail.subarray(excerptBytes - kept) };
  }
}

// Doubles, so that a line that comes byte by byte is not copied once per byte.
function grow(held: Buffer, neededBytes: number, maxBytes: number): Buffer {
  const capacity = Math.max(neededBytes, Math.min(maxBytes, Math.max(firstCapacity, held.length * 2)));
  const larger = Buffer.allocUnsafeSlow(capacity);
  held.copy(larger);
  return larger;
}
