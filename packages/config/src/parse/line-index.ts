import type { Position } from "./parsed-config.ts";

/** From offsets to lines and columns. Lines end with LF, CR LF or CR, as editors count them. */
export function createLineIndex(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (wanted) => {
    starts ??= lineStarts(text);
    const offset = Math.min(Math.max(wanted, 0), text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1, offset };
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: end }) => index + end.length)];
}
