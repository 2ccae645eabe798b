import { differByOneSlip } from "./differ-by-one-slip.ts";

// Models make names up, of any length.
const maxNameLength = 200;

// Of short words, most are so near to each other.
const shortestMistaken = 4;

const mostFound = 3;

/**
 * What somebody may have meant by `name`, three at most: the candidates whose name differs in case
 * and punctuation alone, or else those one of whose names is one slip of the keyboard away. Of each
 * candidate the first of its names counts for the former.
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
