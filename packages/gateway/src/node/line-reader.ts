import { isUtf8 } from "node:buffer";
import { createGrowingBytes } from "../message/growing-bytes.ts";

/** Takes bytes apart into lines. */
export interface LineReader {
  take(chunk: Buffer): void;
  /** No more bytes come: what is there without an end is the last line. */
  end(): void;
}

/** Callbacks of {@linkcode createLineReader}. */
export interface LineReaderInit {
  readonly onLine: (line: string) => void;
  readonly onTooLong: () => void;
  /** A line is no UTF-8: with replacements in it, it would say something else. */
  readonly onNoText: () => void;
}

const newline = 0x0a;

/** Makes it. Nothing is kept of a line that is too long. Empty lines are skipped. */
export function createLineReader(maxBytes: number, { onLine, onTooLong, onNoText }: LineReaderInit): LineReader {
  const begun = createGrowingBytes(maxBytes);
  let isTooLong = false;
  const begin = (part: Buffer): void => {
    isTooLong ||= begun.size + part.length > maxBytes;
    if (isTooLong) begun.take();
    else begun.add(part);
  };
  const say = (line: Uint8Array): void => {
    if (line.length > maxBytes) return onTooLong();
    if (!isUtf8(line)) return onNoText();
    const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString("utf8").trim();
    if (text !== "") onLine(text);
  };
  const finish = (part: Buffer): void => {
    // Most lines come whole, and need no copy.
    if (begun.size === 0 && !isTooLong) return say(part);
    begin(part);
    const wasTooLong = isTooLong;
    isTooLong = false;
    if (wasTooLong) onTooLong();
    else say(begun.take());
  };
  return {
    take(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        finish(chunk.subarray(start, at));
        start = at + 1;
      }
      if (start < chunk.length) begin(chunk.subarray(start));
    },
    end: () => finish(Buffer.alloc(0)),
  };
}
