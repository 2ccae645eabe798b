import { splitWords, stopWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { generalNouns, synonymGroups } from "./synonym-groups.ts";

// Built at the first query, so that importing the package costs nothing.
let table: ReadonlyMap<string, readonly string[]> | undefined;
// The length of the longest phrase by its first word, in stems: at most places of a query none
// begins.
let phraseLengths: ReadonlyMap<string, number> = new Map();

/**
 * The stems of other words for a word, by its stem. Empty for one that has phrases for it alone;
 * `undefined` for an unknown one.
 */
export function synonymsOfStem(stem: string): readonly string[] | undefined {
  table ??= buildTable();
  return table.get(stem);
}

/**
 * The longest phrase of the table that begins at `start` of the stems of a query, with its
 * synonyms.
 */
export function readPhrase(
  stems: readonly string[],
  start: number,
): { readonly length: number; readonly synonyms: readonly string[] } | undefined {
  const known = (table ??= buildTable());
  const longest = phraseLengths.get(stems[start] ?? "") ?? 0;
  for (let length = Math.min(longest, stems.length - start); length > 1; length -= 1) {
    const synonyms = known.get(stems.slice(start, start + length).join(" "));
    if (synonyms !== undefined) return { length, synonyms };
  }
  return undefined;
}

function keyOf(words: readonly string[]): string {
  return words.map(stemWord).join(" ");
}

function buildTable(): ReadonlyMap<string, readonly string[]> {
  const groupsOf = new Map<string, Set<string>>();
  for (const line of [...synonymGroups, ...generalNouns]) {
    const entries = line.split(", ");
    for (const entry of entries) {
      const key = keyOf(entry.split(" "));
      const others = groupsOf.get(key) ?? new Set();
      for (const other of entries) if (other !== entry) others.add(other);
      groupsOf.set(key, others);
    }
  }
  phraseLengths = longestByFirst(groupsOf.keys());
  return new Map(Array.from(groupsOf, ([key, others]) => [key, singleWords(others)]));
}

function longestByFirst(keys: Iterable<string>): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const key of keys) {
    const words = key.split(" ");
    const first = words[0] ?? "";
    lengths.set(first, Math.max(words.length, lengths.get(first) ?? 0));
  }
  return lengths;
}

function singleWords(entries: ReadonlySet<string>): readonly string[] {
  const words = Array.from(entries).filter((entry) => !entry.includes(" "));
  return Array.from(new Set(words.map(stemWord)));
}

/** The stems of a text's words as the index reads them, without those that say nothing. */
export function searchTerms(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !stopWords.has(word))
    .map(stemWord);
}

/** The stems of single words that the index takes for a stem, without itself. */
export function relatedTerms(stem: string): readonly string[] {
  return synonymsOfStem(stem) ?? [];
}
