// Models make names up, of any length.
const maxNameLength = 200;

// Of short words, most are so near to each other.
const shortestMistaken = 4;

const mostFound = 3;

/**
 * Finds what `name` may stand for, three at most: the candidates whose name differs in case and
 * punctuation alone, or else those one of whose names is one slip of the keyboard away. The first
 * of a candidate's names counts for the former.
 */
export function findMeant<T>(
  name: string,
  candidates: Iterable<T>,
  namesOf: (candidate: T) => readonly [string, ...(readonly string[])],
): readonly T[] {
  const wanted = lettersOf(name);
  if (wanted === "") return [];
  const same: T[] = [];
  const near: T[] = [];
  for (const candidate of candidates) {
    const [first, ...others] = namesOf(candidate);
    if (lettersOf(first) === wanted) same.push(candidate);
    else if (near.length < mostFound && isSlipOf(wanted, [first, ...others])) near.push(candidate);
  }
  return (same.length > 0 ? same : near).slice(0, mostFound);
}

/** Says which of the known names an unknown one may stand for, else which are known. */
export function hintForUnknown(name: string, known: readonly string[]): string {
  const [meant] = findMeant(name, known, (one) => [one]);
  return meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
}

function isSlipOf(wanted: string, names: readonly string[]): boolean {
  return wanted.length >= shortestMistaken && names.some((name) => differByOneSlip(wanted, lettersOf(name)));
}

function lettersOf(name: string): string {
  return name
    .slice(0, maxNameLength)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

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
