import { synonymsOfStem } from "./look-up-synonyms.ts";
import { splitWords, stopWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";

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
