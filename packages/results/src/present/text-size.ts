/** How much of a text fits: up to which UTF-16 unit, and how many bytes that is in UTF-8. */
export interface Head {
  readonly end: number;
  readonly bytes: number;
}

/**
 * The longest beginning of `text` that takes at most `maxBytes` in UTF-8, without half a surrogate pair. A lone surrogate counts as the
 * three bytes of the U+FFFD that stands for it. Looks at no more of the text than that.
 */
export function headWithin(text: string, maxBytes: number): Head {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const point = text.codePointAt(end) ?? 0;
    const more = bytesOf(point);
    if (bytes + more > maxBytes) break;
    bytes += more;
    end += point > 0xffff ? 2 : 1;
  }
  return { end, bytes };
}

/** The size of a text in UTF-8. */
export function utf8Length(text: string): number {
  return headWithin(text, Number.POSITIVE_INFINITY).bytes;
}

/** The place at or before `end` that does not part a surrogate pair. */
export function wholeEnd(text: string, end: number): number {
  if (end <= 0 || end >= text.length) return Math.max(0, Math.min(end, text.length));
  const before = text.charCodeAt(end - 1);
  const after = text.charCodeAt(end);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? end - 1 : end;
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
