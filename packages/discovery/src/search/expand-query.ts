import { readPhrase, synonymsOfStem } from "./look-up-synonyms.ts";
import { joinWords, splitWords, stopWords } from "./split-words.ts";
import { isEverydayVerb, isPlural, stemWord } from "./stem-word.ts";
import type { Term, Vocabulary } from "./vocabulary.ts";

/**
 * The terms that one word of the query may mean. A document scores with its best variant, never
 * with several.
 */
export interface Clause {
  /** The terms that stand for it, and how well each does, from 0 to 1. */
  readonly variants: ReadonlyMap<Term, number>;
  /**
   * The term of the word itself, if the index has it: its rarity bounds what a rare synonym may
   * add.
   */
  readonly literal: Term | undefined;
  /** Says whether the word is a plural. */
  readonly isPlural: boolean;
  /** The word was marked with `+`: documents without it are left out. */
  readonly required: boolean;
}

const maxQueryLength = 1000;
const maxClauses = 24;
// Chosen among few round values by cross-validation over servers
// (docs/internals/decisions/0078-which-words-and-weights.md, 0079-one-many-and-short-forms.md). Of
// the word itself in another spelling: in one instead of two, or with its vowels.
const spellingWeight = 0.9;
// Of whatever else it may stand for: a synonym, the beginning of a longer word, a typing mistake.
const otherWeight = 0.7;
const valueWeight = 0.4;
// Every server has tools that get, list or find something: what they work on tells them apart.
const verbWeight = 0.7;
const maxPrefixTerms = 8;
const maxTypoTerms = 3;
const maxShortenedTerms = 3;

/** Reads a query in the vocabulary of an index. Reads the first 1,000 characters. */
export function expandQuery(query: string, vocabulary: Vocabulary): readonly Clause[] {
  const all = readWords(query, vocabulary);
  const telling = all.filter(isInformative);
  const words = telling.length > 0 ? telling : all;
  // A word that is said twice is meant once.
  const seen = new Set<string>();
  const clauses = words.flatMap((word, index) => {
    if (seen.has(word.stem) && !word.required) return [];
    seen.add(word.stem);
    return [wordClause(word, words[index + 1], vocabulary)];
  });
  clauses.push(...phraseClauses(all, vocabulary));
  return clauses.filter(({ variants, required }) => variants.size > 0 || required).slice(0, maxClauses);
}

interface QueryWord {
  readonly word: string;
  readonly stem: string;
  readonly required: boolean;
  /**
   * An object rather than an action: a file name, an address, a number, a quoted
   * text.
   */
  readonly isValue: boolean;
  /** Has a capital in the middle of a sentence, as names of people and places do. */
  readonly isProperName: boolean;
}

function readWords(query: string, vocabulary: Vocabulary): readonly QueryWord[] {
  const words: QueryWord[] = [];
  for (const part of query.slice(0, maxQueryLength).split(/\s+/)) {
    const required = part.startsWith("+") && part.length > 1;
    const isValue = !required && /[./@:#\\][a-z0-9]|^\d|[a-z]\d|^["'`]/i.test(part);
    const isProperName = words.length > 0 && /^[A-Z][a-z]/.test(part);
    // "YouTube" is the name, not "you" and "tube", if any tool has it.
    const joined = joinWords(part, 1).filter((word) => vocabulary.find(stemWord(word)) !== undefined);
    for (const word of joined.length > 0 ? joined : splitWords(part))
      words.push({ word, stem: stemWord(word), required, isValue, isProperName });
  }
  return words;
}

// A single letter is the rest of "don't" or "Anna's".
function isInformative({ word, required }: QueryWord): boolean {
  return required || !(stopWords.has(word) || /^[a-z]$/.test(word));
}

function wordClause(
  { word, stem, required, isValue, isProperName }: QueryWord,
  next: QueryWord | undefined,
  vocabulary: Vocabulary,
): Clause {
  const best = new Map<Term, number>();
  const trust = isValue ? valueWeight : isEverydayVerb(stem) ? verbWeight : 1;
  const offer = (term: Term | undefined, weight: number): void => {
    if (term !== undefined && weight * trust > (best.get(term) ?? 0)) best.set(term, weight * trust);
  };
  const literal = vocabulary.find(stem);
  offer(literal, 1);
  // "vms": a word of three letters has no other form, unless it is the plural of an abbreviation.
  if (word.length === 3 && word.endsWith("s")) offer(vocabulary.find(stemWord(word.slice(0, 2))), spellingWeight);
  const synonyms = synonymsOfStem(stem);
  for (const synonym of synonyms ?? []) offer(vocabulary.find(synonym), otherWeight);
  // "tmplt" is short for `template`.
  for (const term of vocabulary.shortenedTo(stem, maxShortenedTerms)) offer(term, spellingWeight);
  // "web hook" finds `webhook`.
  if (next !== undefined) offer(vocabulary.find(stemWord(word + next.word)), spellingWeight);
  if (best.size === 0) {
    for (const term of vocabulary.startingWith(word, maxPrefixTerms)) offer(term, otherWeight);
  }
  // A word that the index or the table knows is no typing mistake; so a guess never outranks a
  // document that has the word itself.
  if (best.size === 0 && synonyms === undefined && !isValue && !isProperName) {
    for (const term of vocabulary.closestTo(word, maxTypoTerms)) {
      offer(term, otherWeight);
      for (const synonym of synonymsOfStem(term.stem) ?? []) offer(vocabulary.find(synonym), otherWeight * otherWeight);
    }
  }
  return { variants: best, literal, isPlural: isPlural(word), required };
}

const noWord = { literal: undefined, isPlural: false, required: false } as const;

/** "take a day off" asks for what `leave` says. */
function phraseClauses(words: readonly QueryWord[], vocabulary: Vocabulary): readonly Clause[] {
  const clauses: Clause[] = [];
  const stems = words.map(({ stem }) => stem);
  for (let start = 0; start < stems.length; start += 1) {
    const phrase = readPhrase(stems, start);
    if (phrase === undefined) continue;
    const best = new Map<Term, number>();
    for (const word of phrase.synonyms) {
      const term = vocabulary.find(word);
      if (term !== undefined) best.set(term, otherWeight);
    }
    clauses.push({ variants: best, ...noWord });
    start += phrase.length - 1;
  }
  return clauses;
}
