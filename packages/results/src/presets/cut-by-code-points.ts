/**
 * The beginning of texts that are joined, and how many code points of them are missing. Linear, and
 * joins no more than that. A lone surrogate is a code point; no text begins with the other half of
 * a pair.
 */
export function cutByCodePoints(
  texts: readonly string[],
  most: number,
): { readonly text: string; readonly missing: number } {
  let head = "";
  let points = 0;
  for (const text of texts) {
    const space = most - points;
    points += codePointsIn(text);
    if (space > 0) head += points <= most ? text : text.slice(0, unitsOf(text, space));
  }
  return { text: head, missing: Math.max(0, points - most) };
}

function codePointsIn(text: string): number {
  // Most texts have none, and an engine finds that out without a look at each unit.
  if (!/[\uD800-\uDFFF]/.test(text)) return text.length;
  let points = 0;
  for (let at = 0; at < text.length; points += 1) at += widthAt(text, at);
  return points;
}

/** How many UTF-16 units the first code points have. */
function unitsOf(text: string, points: number): number {
  let at = 0;
  for (let left = points; left > 0 && at < text.length; left -= 1) at += widthAt(text, at);
  return at;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
