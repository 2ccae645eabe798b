/**
 * Whether one slip of the keyboard makes one word of the other: a letter is another, too many or
 * missing, or two have changed places. Not for the same word. Pure, in linear time.
 */
export function differByOneSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  const least = Math.min(one.length, other.length);
  let start = 0;
  while (start < least && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < least - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  const isSwapped = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return isSwapped || Math.max(left.length, right.length) === 1;
}
