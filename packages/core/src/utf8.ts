/** Counts the bytes of a text in UTF-8. A lone surrogate counts as the U+FFFD that it becomes. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x8_00 ? 1 : 2;
    // The two halves of a pair take four bytes together, of which each has one already.
    if (isLead(unit) && isTrail(text.charCodeAt(index + 1))) index += 1;
  }
  return bytes;
}

/** How much of a text fits: up to which UTF-16 unit, and how many bytes that is in UTF-8. */
export interface Utf8Head {
  readonly end: number;
  readonly bytes: number;
}

/**
 * Finds the longest beginning of `text` that takes at most `maxBytes` in UTF-8 and splits no
 * surrogate pair. A lone surrogate counts as U+FFFD, three bytes. Reads no more of the text.
 */
export function headWithin(text: string, maxBytes: number): Utf8Head {
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

function isLead(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xdc_00;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc_00 && unit < 0xe0_00;
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
