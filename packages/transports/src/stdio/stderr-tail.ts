/** The last bytes a server wrote to stderr. */
export interface StderrTail {
  push(chunk: Buffer): void;
  /** At most `count` lines that are not blank, oldest first, as raw text. */
  lastLines(count: number): readonly string[];
}

/**
 * Keeps the last `maxBytes` bytes, in memory of that size that is taken when the first byte comes. When something was lost at the front,
 * the rest of that word is left out, because half a secret is not recognised as one.
 */
export function createStderrTail(maxBytes: number): StderrTail {
  let ring: Buffer | undefined;
  let writtenBytes = 0;

  const readAll = (): string => {
    if (!ring) return "";
    if (writtenBytes <= maxBytes) return ring.toString("utf8", 0, writtenBytes);
    const start = writtenBytes % maxBytes;
    const text = Buffer.concat([ring.subarray(start), ring.subarray(0, start)]).toString("utf8");
    return text.slice(Math.max(0, text.search(/\s/)));
  };
  return {
    push(chunk) {
      ring ??= Buffer.allocUnsafeSlow(maxBytes);
      const kept = chunk.subarray(-maxBytes);
      const start = (writtenBytes + chunk.length - kept.length) % maxBytes;
      const copied = kept.copy(ring, start);
      kept.copy(ring, 0, copied);
      writtenBytes += chunk.length;
    },
    lastLines(count) {
      const lines = readAll()
        .split("\n")
        .filter((line) => line.trim() !== "");
      return lines.slice(-count);
    },
  };
}
