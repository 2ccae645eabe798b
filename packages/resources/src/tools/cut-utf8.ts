/** The beginning of a text that takes at most `maxBytes` in UTF-8, and never ends within a code point. A lone surrogate counts as U+FFFD. */
export function cutUtf8(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const point = text.codePointAt(end) ?? 0;
    bytes += sizeOf(point);
    if (bytes > maxBytes) break;
    end += point > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The size of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += sizeOf(character.codePointAt(0) ?? 0);
  return bytes;
}

function sizeOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
