import { createLastBytes } from "./last-bytes.ts";

/** The last bytes a server wrote to stderr. */
export interface StderrTail {
  push(chunk: Buffer): void;
  /** At most `count` lines that are not blank, oldest first, as raw text. */
  lastLines(count: number): readonly string[];
}

/**
 * Keeps the last `maxBytes` bytes. When something was lost at the front, the rest of that word is left out, because half a secret is not
 * recognised as one.
 */
export function createStderrTail(maxBytes: number): StderrTail {
  const last = createLastBytes(maxBytes);
  return {
    push: (chunk) => last.push(chunk),
    lastLines(count) {
      const text = last.read().toString("utf8");
      const whole = last.totalBytes > maxBytes ? withoutBrokenStart(text) : text;
      return whole
        .split("\n")
        .filter((line) => line.trim() !== "")
        .slice(-count);
    },
  };
}

function withoutBrokenStart(text: string): string {
  const wordEnd = text.search(/\s/);
  return wordEnd === -1 ? "" : text.slice(wordEnd);
}
