/** How many bytes a text has as UTF-8, without making them. A lone surrogate counts as the U+FFFD that it becomes. */
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

function isLead(unit: number): boolean {
  return unit >= 0xd8_00 && unit < 0xdc_00;
}

function isTrail(unit: number): boolean {
  return unit >= 0xdc_00 && unit < 0xe0_00;
}
