import { withoutBrokenEnd } from "../text/safe-excerpt.ts";
import { createLastBytes } from "./last-bytes.ts";

const newline = 0x0a;
const longestLine = 4096;
const headBytes = 8192;
// A line that was cut ends with it. A server that writes it itself has its last word taken for half
// a word.
const cutMark = "\0";
const cutEnd = Buffer.from(`${cutMark}\n`);

/** What a server wrote to stderr first and last. */
export interface StderrExcerpt {
  push(chunk: Buffer): void;
  /**
   * As raw text, oldest first: all lines that are not blank, or as many of the first and of the
   * last as asked for, with `…` between.
   */
  lines(counts: { readonly first: number; readonly last: number }): readonly string[];
}

/**
 * Keeps the first 8 KiB and the last `maxBytes` bytes, 4 KiB of a line at most: one endless line
 * must not hide the reason that stood before it. Of a line or a word that was cut, the broken word
 * is left out, because half a secret is not recognised as one.
 */
export function createStderrExcerpt(maxBytes: number): StderrExcerpt {
  const last = createLastBytes(maxBytes);
  const head: Buffer[] = [];
  let headLength = 0;
  let lineBytes = 0;

  const keep = (bytes: Buffer): void => {
    if (headLength < headBytes) {
      const part = Buffer.from(bytes.subarray(0, headBytes - headLength));
      head.push(part);
      headLength += part.length;
    }
    last.push(bytes);
  };
  return {
    push(chunk) {
      let start = 0;
      while (start < chunk.length) {
        if (lineBytes > longestLine) {
          // The rest of a line that was cut.
          const end = chunk.indexOf(newline, start);
          if (end === -1) return;
          lineBytes = 0;
          start = end + 1;
          continue;
        }
        const room = longestLine - lineBytes;
        // All lines up to the last line feed in reach are short enough; there is no need to look at
        // each.
        const reach = chunk.subarray(start, start + room + 1);
        const end = reach.lastIndexOf(newline);
        const taken = end === -1 ? reach.subarray(0, room) : reach.subarray(0, end + 1);
        keep(taken);
        start += taken.length;
        lineBytes = end === -1 ? lineBytes + taken.length : 0;
        if (reach.length <= room || end !== -1) continue;
        keep(cutEnd);
        lineBytes = longestLine + 1;
      }
    },
    lines({ first, last: count }) {
      const isWhole = last.totalBytes <= maxBytes;
      const all = toLines(last.read().toString("utf8"), !isWhole);
      if (isWhole && all.length <= first + count) return all;
      const end = all.slice(-count);
      if (first === 0) return end;
      const beginning = isWhole ? all : toLines(wholeLines(Buffer.concat(head).toString("utf8")), false);
      return [...beginning.slice(0, first), "…", ...end];
    },
  };
}

function toLines(text: string, isBroken: boolean): readonly string[] {
  const whole = isBroken ? withoutBrokenStart(text) : text;
  return whole
    .split("\n")
    .map((line) => (line.endsWith(cutMark) ? `${withoutBrokenEnd(line.slice(0, -1))} …` : line))
    .filter((line) => line.trim() !== "");
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function withoutBrokenStart(text: string): string {
  const wordEnd = text.search(/\s/);
  return wordEnd === -1 ? "" : text.slice(wordEnd);
}
