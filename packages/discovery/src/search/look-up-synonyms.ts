import { abbreviations } from "./abbreviations.ts";
import { generalNouns } from "./general-nouns.ts";
import { generalVerbs } from "./general-verbs.ts";
import { stemWord } from "./stem-word.ts";
import { synonymGroups } from "./synonym-groups.ts";

/** What the table knows of a word or phrase. */
export interface Synonyms {
  /** Single words. */
  readonly words: readonly string[];
  /** Phrases, each as its words. */
  readonly phrases: readonly (readonly string[])[];
}

const none: Synonyms = { words: [], phrases: [] };
const longestPhrase = 6;

// Built at the first query, so that importing the package costs nothing.
let table: ReadonlyMap<string, Synonyms> | undefined;

/** Other words and phrases for a word, without the word itself. */
export function readSynonyms(word: string): Synonyms {
  return lookUp(stemWord(word));
}

/** The longest phrase of the table that begins at `start`, with its synonyms. */
export function readPhrase(
  words: readonly string[],
  start: number,
): { readonly length: number; readonly synonyms: Synonyms } | undefined {
  for (let length = Math.min(longestPhrase, words.length - start); length > 1; length -= 1) {
    const synonyms = lookUp(keyOf(words.slice(start, start + length)));
    if (synonyms !== none) return { length, synonyms };
  }
  return undefined;
}

function lookUp(key: string): Synonyms {
  table ??= buildTable();
  return table.get(key) ?? none;
}

function keyOf(words: readonly string[]): string {
  return words.map(stemWord).join(" ");
}

function buildTable(): ReadonlyMap<string, Synonyms> {
  const groupsOf = new Map<string, Set<string>>();
  for (const line of [...synonymGroups, ...generalVerbs, ...generalNouns, ...abbreviations]) {
    const entries = line.split(", ");
    for (const entry of entries) {
      const key = keyOf(entry.split(" "));
      const others = groupsOf.get(key) ?? new Set();
      for (const other of entries) if (other !== entry) others.add(other);
      groupsOf.set(key, others);
    }
  }
  return new Map(Array.from(groupsOf, ([key, others]) => [key, sorted(Array.from(others))]));
}

function sorted(entries: readonly string[]): Synonyms {
  return {
    words: entries.filter((entry) => !entry.includes(" ")),
    phrases: entries.filter((entry) => entry.includes(" ")).map((entry) => entry.split(" ")),
  };
}
