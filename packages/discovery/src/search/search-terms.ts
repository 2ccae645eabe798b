import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { stopWords } from "./stop-words.ts";
import { readSynonyms } from "./look-up-synonyms.ts";

/** The stems of a text's words as the index reads them, without those that say nothing. */
export function searchTerms(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !stopWords.has(word))
    .map(stemWord);
}

/** The stems of single words that the index takes for a word, without its own. */
export function relatedTerms(word: string): readonly string[] {
  return readSynonyms(word).words;
}
