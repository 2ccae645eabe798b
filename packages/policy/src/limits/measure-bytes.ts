/** How many bytes a value takes as JSON in UTF-8; 0 for what is no JSON. */
export function measureBytes(value: unknown): number {
  try {
    return bytesOf(JSON.stringify(value) ?? "");
  } catch {
    // A product's own tool may have arguments and results that are no JSON (a circle, a BigInt). A server cannot.
    return 0;
  }
}

function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // Two units of a pair are four bytes, and count as two each.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
