/** Takes bytes apart into lines. */
export interface LineReader {
  take(chunk: Buffer): void;
}

const newline = 0x0a;

/** Makes it. Of a line that is too long nothing is kept; empty lines are none. */
export function createLineReader(
  maxBytes: number,
  { onLine, onTooLong }: { readonly onLine: (line: string) => void; readonly onTooLong: () => void },
): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let isTooLong = false;
  const add = (part: Buffer): void => {
    size += part.length;
    if (size > maxBytes) {
      isTooLong = true;
      parts = [];
    } else {
      parts.push(part);
    }
  };
  const finish = (): void => {
    const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const wasTooLong = isTooLong;
    parts = [];
    size = 0;
    isTooLong = false;
    if (wasTooLong) return onTooLong();
    const text = line?.toString("utf8").trim() ?? "";
    if (text !== "") onLine(text);
  };
  return {
    take(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        add(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
  };
}
