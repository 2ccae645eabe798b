import { differByOneSlip } from "@hostside/core/implement";
import { stemWord } from "./stem-word.ts";
import type { IndexedDocument } from "./score-document.ts";

/** A word of the index, by its stem. */
export interface Term {
  readonly stem: string;
  /** The documents that have it, and how much it says about each. */
  readonly postings: Map<IndexedDocument, number>;
}

/** The words of an index: every term has a document. */
export interface Vocabulary {
  /** The term of a stem; a new one where there is none. */
  intern(stem: string): Term;
  /** Forgets a term that has no document any more. */
  forget(term: Term): void;
  find(stem: string): Term | undefined;
  /** The most frequent terms that begin with a word. */
  startingWith(word: string, limit: number): readonly Term[];
  /** The most frequent terms that a word without vowels may be short for: `msg` for `message`. */
  shortenedTo(word: string, limit: number): readonly Term[];
  /** The most frequent terms that are one slip of the keyboard away from a word. */
  closestTo(word: string, limit: number): readonly Term[];
}

const shortestPrefix = 3;
const shortestMistaken = 4;

/** An empty vocabulary. */
export function createVocabulary(): Vocabulary {
  const byStem = new Map<string, Term>();
  const byInitial = new Map<string, Set<Term>>();
  const best = (word: string, limit: number, isMeant: (stem: string) => boolean): readonly Term[] =>
    Array.from(byInitial.get(word.slice(0, 1)) ?? [])
      .filter(({ stem }) => isMeant(stem))
      .sort((a, b) => b.postings.size - a.postings.size || (a.stem < b.stem ? -1 : 1))
      .slice(0, limit);
  return {
    intern(stem) {
      const known = byStem.get(stem);
      if (known !== undefined) return known;
      const term: Term = { stem, postings: new Map() };
      byStem.set(stem, term);
      const initial = stem.slice(0, 1);
      byInitial.set(initial, (byInitial.get(initial) ?? new Set()).add(term));
      return term;
    },
    forget(term) {
      byStem.delete(term.stem);
      byInitial.get(term.stem.slice(0, 1))?.delete(term);
    },
    find: (stem) => byStem.get(stem),
    startingWith: (word, limit) =>
      word.length < shortestPrefix ? [] : best(word, limit, (stem) => stem.startsWith(word)),
    shortenedTo: (word, limit) =>
      consonantsAlone.test(word) ? best(word, limit, (stem) => isShortFor(word, stem)) : [],
    closestTo(word, limit) {
      const wanted = stemWord(word);
      return word.length < shortestMistaken ? [] : best(wanted, limit, (stem) => differByOneSlip(wanted, stem));
    },
  };
}

const consonantsAlone = /^[b-df-hj-np-tv-xz]{3,}$/;
const vowelsAtEnd = /[aeiou]+$/;

/**
 * Says whether a word is another one without some of its letters, that keeps the first one and the
 * last consonant.
 */
function isShortFor(word: string, longer: string): boolean {
  if (word.length >= longer.length || word.at(-1) !== longer.replace(vowelsAtEnd, "").at(-1)) return false;
  let at = 0;
  for (const letter of longer) if (letter === word[at]) at += 1;
  return at === word.length;
}
