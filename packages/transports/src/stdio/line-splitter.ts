import { JsonValueCounter } from "@hostside/core/implement";

const newline = 0x0a;
const firstCapacity = 16 * 1024;
// A larger buffer is given back after the line that needed it.
const keptCapacity = 256 * 1024;
const excerptBytes = 1024;
const nothing = Buffer.alloc(0);
// A brace or bracket, blanks and a byte order mark: all else is no JSON-RPC message.
const jsonStarts: ReadonlySet<number> = new Set(Buffer.from("{[ \t\r\uFEFF"));

/** A line that was too large to keep. Its middle is gone. */
export interface OversizedLine {
  /** Length of the whole line, in bytes. */
  readonly bytes: number;
  /** Its JSON values, if there are more than `maxLineValues`. */
  readonly values: number | undefined;
  /** Its first 1,024 bytes. */
  readonly head: Buffer;
  /** Its last 1,024 bytes; overlaps the head when the limit is small. */
  readonly tail: Buffer;
}

/** The parts of {@linkcode LineSplitter}. */
export interface LineSplitterInit {
  /** Longest line that is kept, in bytes, without its line feed. */
  readonly maxLineBytes: number;
  /** Most JSON values of a line that is kept. Default: no limit. */
  readonly maxLineValues?: number;
  /**
   * A line is `bytes[start..end)`, without its line feed. The bytes are only valid during the call.
   */
  readonly onLine: (bytes: Buffer, start: number, end: number) => void;
  /** Called as soon as a line is too long, with its first 1,024 bytes. */
  readonly onTooLong?: (head: Buffer) => void;
  /** Called at the end of a line that was too long, or has too many values. */
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
  /** Counts the values of the current line, once it is long enough to have too many. */
  #counter: JsonValueCounter | undefined;
  /** A line this short cannot have too many values: each takes a character, and a comma stands between two. */
  readonly #countedBytes: number;

  constructor(init: LineSplitterInit) {
    this.#init = init;
    this.#countedBytes = 2 * (init.maxLineValues ?? Infinity);
  }

  /** Bytes of the current line that were dropped because it is too large; 0 while it is not. */
  get droppedBytes(): number {
    return this.#oversized?.bytes ?? 0;
  }

  /** The current line as far as it is kept. */
  get unfinished(): string {
    return (this.#oversized?.read().head ?? this.#held.subarray(0, this.#heldBytes)).toString("utf8");
  }

  push(chunk: Buffer): void {
    const { maxLineBytes, onLine } = this.#init;
    const fastBytes = Math.min(maxLineBytes, this.#countedBytes - 1);
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (this.#heldBytes === 0 && this.#oversized === undefined && end - start <= fastBytes) {
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
    const [oversized, end, values] = [this.#oversized, this.#heldBytes, this.#counter?.values];
    this.#oversized = undefined;
    this.#counter = undefined;
    this.#heldBytes = 0;
    if (oversized !== undefined) onOversized({ ...oversized.read(), values });
    else if (end > 0) onLine(this.#held, 0, end);
    if (this.#held.length > keptCapacity) this.#held = nothing;
  }

  #hold(part: Buffer): void {
    const { maxLineBytes } = this.#init;
    const before = this.#heldBytes;
    const total = before + part.length;
    if (this.#oversized !== undefined) {
      this.#oversized.push(part);
      this.#counter?.add(part.toString("latin1"));
      if (this.#counter !== undefined && this.#oversized.bytes > maxLineBytes) this.#tellTooLong(this.#oversized);
    } else if (total > maxLineBytes) {
      this.#tellTooLong(this.#drop(part));
    } else if (this.#hasTooManyValues(part, total)) {
      this.#drop(part);
    } else {
      if (total > this.#held.length) this.#held = grow(this.#held.subarray(0, before), total, maxLineBytes);
      part.copy(this.#held, before);
      this.#heldBytes = total;
    }
  }

  // Counted piece by piece, so that other servers get their turns meanwhile.
  #hasTooManyValues(part: Buffer, total: number): boolean {
    const { maxLineValues = Infinity } = this.#init;
    if (total < this.#countedBytes || !jsonStarts.has((this.#heldBytes > 0 ? this.#held : part)[0] ?? 0)) return false;
    if (this.#counter === undefined) {
      this.#counter = new JsonValueCounter();
      this.#counter.add(this.#held.toString("latin1", 0, this.#heldBytes));
    }
    this.#counter.add(part.toString("latin1"));
    return this.#counter.values > maxLineValues;
  }

  #tellTooLong(excerpt: Excerpt): void {
    this.#counter = undefined;
    this.#init.onTooLong?.(excerpt.read().head);
  }

  #drop(part: Buffer): Excerpt {
    const excerpt = new Excerpt();
    excerpt.push(this.#held.subarray(0, this.#heldBytes));
    excerpt.push(part);
    this.#oversized = excerpt;
    this.#held = nothing;
    this.#heldBytes = 0;
    return excerpt;
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

  read(): Omit<OversizedLine, "values"> {
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
