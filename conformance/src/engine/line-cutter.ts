/** Cuts bytes into lines. */
export interface LineCutter {
  readonly push: (bytes: Uint8Array) => void;
  /** Hands on what has no end yet. */
  flush(): void;
}

const newline = 0x0a;
const longestLine = 16 * 1024 * 1024;

/** A line without its line feed. */
export interface CutLine {
  readonly bytes: Buffer;
  /** There was no line feed: the end of the stream, or a part of a line that is too long. */
  readonly isOpen: boolean;
  /** The line began in an earlier part. */
  readonly isRest: boolean;
}

/** Makes one. A line of more than `longest` bytes, by default 16 MiB, comes in parts. */
export function createLineCutter(onLine: (line: CutLine) => void, longest: number = longestLine): LineCutter {
  let parts: Buffer[] = [];
  let length = 0;
  let isRest = false;
  const finish = (last: Buffer, isOpen: boolean): void => {
    const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    length = 0;
    const cut = { bytes: line, isOpen, isRest };
    isRest = isOpen;
    onLine(cut);
  };
  return {
    push(bytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        finish(chunk.subarray(start, end), false);
        start = end + 1;
      }
      if (start === chunk.length) return;
      // A copy: whoever owns the chunk may use it again.
      parts.push(Buffer.from(chunk.subarray(start)));
      length += chunk.length - start;
      if (length > longest) finish(Buffer.alloc(0), true);
    },
    flush() {
      if (length > 0) finish(Buffer.alloc(0), true);
    },
  };
}
