import { withGetters } from "@toolport/core/implement";
import { createLastBytes } from "./last-bytes.ts";

const newline = 0x0a;
const firstCapacity = 16 * 1024;
// A buffer that one large line needed is given back; one of this size is kept for the next line.
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

/** What a {@linkcode LineSplitter} is made from. */
export interface LineSplitterInit {
  /** Longest line that is kept, in bytes, without its line feed. */
  readonly maxLineBytes: number;
  /** A line is `bytes[start..end)`, without its line feed. The bytes are only valid during the call. */
  readonly onLine: (bytes: Buffer, start: number, end: number) => void;
  /** Called as soon as a line is too long, with its first 1,024 bytes. */
  readonly onTooLong?: (head: Buffer) => void;
  /** Called at the end of a line that was too long. */
  readonly onOversized: (line: OversizedLine) => void;
}

/** Cuts a stream of bytes at line feeds. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** The stream ended: what is left without a line feed is a line, too. */
  end(): void;
  /** Bytes of the current line that were dropped because it is too long; 0 while it is not. */
  readonly droppedBytes: number;
}

/**
 * Makes a splitter that holds at most `maxLineBytes` bytes (and two excerpts) whatever comes, finds its way again at the next line
 * feed after a line that is too long, and gives the same lines however the stream is cut into chunks. It knows nothing of characters:
 * a line feed byte never occurs inside a multi-byte UTF-8 character.
 */
export function createLineSplitter({ maxLineBytes, onLine, onTooLong, onOversized }: LineSplitterInit): LineSplitter {
  let held: Buffer = nothing;
  let heldBytes = 0;
  let oversized: Excerpt | undefined;

  const hold = (chunk: Buffer, start: number, end: number): void => {
    const part = chunk.subarray(start, end);
    const total = heldBytes + part.length;
    if (oversized) {
      oversized.push(part);
    } else if (total > maxLineBytes) {
      oversized = createExcerpt();
      oversized.push(held.subarray(0, heldBytes));
      oversized.push(part);
      held = nothing;
      heldBytes = 0;
      onTooLong?.(oversized.read().head);
    } else {
      if (total > held.length) held = grow(held.subarray(0, heldBytes), total, maxLineBytes);
      part.copy(held, heldBytes);
      heldBytes = total;
    }
  };
  const release = (): void => {
    if (oversized) {
      const line = oversized.read();
      oversized = undefined;
      onOversized(line);
    } else {
      const end = heldBytes;
      heldBytes = 0;
      onLine(held, 0, end);
      if (held.length > keptCapacity) held = nothing;
    }
  };
  return withGetters<LineSplitter, "droppedBytes">(
    {
      push(chunk) {
        let start = 0;
        for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
          if (heldBytes === 0 && !oversized && end - start <= maxLineBytes) {
            onLine(chunk, start, end);
          } else {
            hold(chunk, start, end);
            release();
          }
          start = end + 1;
        }
        if (start < chunk.length) hold(chunk, start, chunk.length);
      },
      end() {
        if (heldBytes > 0 || oversized) release();
      },
    },
    { droppedBytes: () => (oversized ? oversized.bytes : 0) },
  );
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
  return withGetters<Excerpt, "bytes">(
    {
      push(part) {
        if (tail.totalBytes < excerptBytes) part.copy(head, tail.totalBytes);
        tail.push(part);
      },
      read: () => ({ bytes: tail.totalBytes, head: head.subarray(0, tail.totalBytes), tail: tail.read() }),
    },
    { bytes: () => tail.totalBytes },
  );
}
