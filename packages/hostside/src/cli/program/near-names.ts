import { distance } from "fastest-levenshtein";

/**
 * The names that somebody may have meant, nearest first, at most three: those that a slip or two of
 * the keyboard make of each other, or that hold the word.
 */
export function nearNames(word: string, names: Iterable<string>): readonly string[] {
  const wanted = word.toLowerCase();
  const near: { readonly name: string; readonly apart: number }[] = [];
  for (const name of new Set(names)) {
    const candidate = name.toLowerCase();
    const apart = wanted.length >= 3 && candidate.includes(wanted) ? 0.5 : distance(wanted, candidate);
    if (apart <= Math.max(1, Math.min(3, Math.floor(wanted.length / 3)))) near.push({ name, apart });
  }
  return near
    .sort((one, other) => one.apart - other.apart || (one.name < other.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * The hint for names that somebody may have meant, which stand in it as they are; `undefined` where
 * there is none.
 */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.join(" or ")}?`;
}
