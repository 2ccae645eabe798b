import { isDestructiveVerb, isReadingVerb } from "./name-intent.ts";
import { createPostingList, type PostingList } from "./posting-list.ts";
import { stemWord } from "./stem-word.ts";

/** One stem and the documents that have it. */
export interface Term {
  readonly stem: string;
  /**
   * The letters it is made of, one bit each: two words that are close in spelling have nearly the
   * same set.
   */
  readonly letters: number;
  /** Whether it says, in a tool's name, that the tool only looks. */
  readonly isReadingVerb: boolean;
  /** Whether it says, in a tool's name, that something is lost when the tool runs. */
  readonly isDestructiveVerb: boolean;
  /** How many documents have it now; 0 when the last one was removed. */
  documents: number;
  /** Scratch for the one document that is being scored; 0 otherwise. */
  evidence: number;
  readonly postings: PostingList;
}

/** The terms of an index, looked up exactly, by prefix, or by similarity. */
export interface Vocabulary {
  /** The term of a word, made on first sight. */
  intern(word: string): Term;
  /** The term of a stem, made on first sight. */
  internStem(stem: string): Term;
  /**
   * The terms of a text that many documents share word for word; `split` is asked once per text.
   */
  internText(text: string, split: (text: string) => readonly string[]): readonly Term[];
  /** The term of a word, if some document has it. */
  find(word: string): Term | undefined;
  /** The same by a stem. */
  findStem(stem: string): Term | undefined;
  /**
   * Terms that begin with the word, the most frequent first; `[]` for words of fewer than three
   * letters.
   */
  startingWith(word: string, limit: number): readonly Term[];
  /**
   * Terms that the word is short for by leaving out vowels (`tmplt`), the most frequent first; `[]`
   * for a word that has vowels.
   */
  shortenedTo(word: string, limit: number): readonly Term[];
  /**
   * Terms that a typing mistake may have turned into the word, the closest first, then the most
   * frequent, then by spelling. One mistake is forgiven in words of four letters, two from eight
   * on.
   */
  closestTo(word: string, limit: number): readonly Term[];
  /** All terms, for a sweep. */
  values(): Iterable<Term>;
}

const prefixLength = 3;

/** An empty vocabulary. */
export function createVocabulary(): Vocabulary {
  const byStem = new Map<string, Term>();
  // Stemming costs more than a lookup, and a catalogue repeats its words.
  const byWord = new Map<string, Term>();
  const byText = new Map<string, readonly Term[]>();
  const byPrefix = new Map<string, Term[]>();
  const byInitial = new Map<string, Term[]>();

  const add = (stem: string): Term => {
    const term: Term = {
      stem,
      letters: lettersOf(stem),
      isReadingVerb: isReadingVerb(stem),
      isDestructiveVerb: isDestructiveVerb(stem),
      documents: 0,
      evidence: 0,
      postings: createPostingList(),
    };
    byStem.set(stem, term);
    file(byPrefix, stem.slice(0, prefixLength), term);
    file(byInitial, stem.slice(0, 1), term);
    return term;
  };

  const internStem = (stem: string): Term => byStem.get(stem) ?? add(stem);

  const findStem = (stem: string): Term | undefined => {
    const term = byStem.get(stem);
    return term !== undefined && term.documents > 0 ? term : undefined;
  };

  const intern = (word: string): Term => {
    let term = byWord.get(word);
    if (term === undefined) {
      term = internStem(stemWord(word));
      byWord.set(word, term);
    }
    return term;
  };

  return {
    intern,
    internStem,
    internText(text, split) {
      const known = byText.get(text) ?? split(text).map(intern);
      byText.set(text, known);
      return known;
    },
    find(word) {
      const known = byWord.get(word);
      if (known === undefined) return findStem(stemWord(word));
      return known.documents > 0 ? known : undefined;
    },
    findStem,
    startingWith(word, limit) {
      if (word.length < prefixLength) return [];
      const found = (byPrefix.get(word.slice(0, prefixLength)) ?? []).filter(
        (term) => term.documents > 0 && term.stem.startsWith(word),
      );
      return found.sort(byFrequency).slice(0, limit);
    },
    shortenedTo(word, limit) {
      if (!hasNoVowels(word)) return [];
      return longerForms(word, byInitial.get(word.slice(0, 1)) ?? []).slice(0, limit);
    },
    closestTo(word, limit) {
      const maxDistance = word.length < 4 ? 0 : word.length < 8 ? 1 : 2;
      if (maxDistance === 0) return [];
      const stem = stemWord(word);
      const letters = lettersOf(stem);
      const close: { readonly term: Term; readonly distance: number }[] = [];
      // People rarely mistype the first letter; without this rule, names of people and places would
      // match everything.
      for (const term of byInitial.get(stem.slice(0, 1)) ?? []) {
        if (term.documents === 0) continue;
        // One mistake changes at most two letters of the set.
        if (bitCount(term.letters ^ letters) > 2 * maxDistance) continue;
        const distance = editDistance(stem, term.stem, maxDistance);
        if (distance <= maxDistance) close.push({ term, distance });
      }
      close.sort((a, b) => a.distance - b.distance || byFrequency(a.term, b.term));
      return close.slice(0, limit).map(({ term }) => term);
    },
    values: () => byStem.values(),
  };
}

function longerForms(word: string, terms: readonly Term[]): Term[] {
  const letters = lettersOf(word);
  return terms
    .filter((term) => (letters & ~term.letters) === 0 && term.documents > 0 && isShortFor(word, term.stem))
    .sort(byFrequency);
}

function file(shelves: Map<string, Term[]>, key: string, term: Term): void {
  const shelf = shelves.get(key);
  if (shelf === undefined) shelves.set(key, [term]);
  else shelf.push(term);
}

function byFrequency(a: Term, b: Term): number {
  return b.documents - a.documents || (a.stem < b.stem ? -1 : 1);
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitCount(bits: number): number {
  let left = bits;
  let count = 0;
  while (left !== 0) {
    left &= left - 1;
    count += 1;
  }
  return count;
}

/**
 * How many letters must be added, dropped, replaced or swapped with a neighbour to turn one word
 * into the other, or `maxDistance + 1` when it is more than `maxDistance`.
 */
export function editDistance(a: string, b: string, maxDistance: number): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let twoBack: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(twoBack, j - 2) + 1);
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > maxDistance) return maxDistance + 1;
    twoBack = previous;
    previous = row;
  }
  return Math.min(at(previous, b.length), maxDistance + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

const consonantsAlone = /^[b-df-hj-np-tv-xz]{3,}$/;
const vowelsAtEnd = /[aeiou]+$/;

/**
 * Whether a word has nothing but consonants, at least three, as words have from which people leave
 * out what can be guessed.
 */
export function hasNoVowels(word: string): boolean {
  return consonantsAlone.test(word);
}

/**
 * Whether a word may be what is left of a longer one: its letters in their order, from the first to
 * the last that is no vowel. So `btn` is short for `button`, and `ssh` not for `snapshot`.
 */
export function isShortFor(word: string, longer: string): boolean {
  if (word.length >= longer.length || word[0] !== longer[0]) return false;
  if (word.at(-1) !== longer.replace(vowelsAtEnd, "").at(-1)) return false;
  let at = 0;
  for (const letter of longer) if (letter === word[at]) at += 1;
  return at === word.length;
}
