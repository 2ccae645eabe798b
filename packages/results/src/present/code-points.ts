/** Counts the code points of a part of a text. A lone surrogate counts as one. */
export function codePointsIn(text: string, from: number, to: number): number {
  // Most texts have no pairs, and an engine finds that out without a look at each unit.
  if (from === 0 && to === text.length && !/[\uD800-\uDFFF]/.test(text)) return text.length;
  let count = 0;
  for (let at = from; at < to; at = nextCharacter(text, at)) count += 1;
  return count;
}

/** Where a text is after so many code points from a place on; its end where there are fewer. */
export function unitAfter(text: string, from: number, points: number): number {
  let at = from;
  for (let left = points; left > 0 && at < text.length; left -= 1) at = nextCharacter(text, at);
  return at;
}

function nextCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}
