import { expandQuery, type Clause } from "./expand-query.ts";
import { isDestructiveVerb, isQuestion, isReadingVerb } from "./stem-word.ts";
import { scoreDocument, type IndexedDocument, type SearchDocument } from "./score-document.ts";
import { splitWords } from "./split-words.ts";
import { createVocabulary, type Term } from "./vocabulary.ts";

export type { SearchDocument } from "./score-document.ts";

/** A document that matches a query. */
export interface SearchHit {
  readonly name: string;
  /** `exact` and `prefix`: by its name. `words`: by what it says. */
  readonly match: "exact" | "prefix" | "words";
  /** Comparable within one search only. */
  readonly score: number;
}

/** How to search. */
export interface SearchOptions {
  /** Most hits to return. */
  readonly limit: number;
  /** Which names may be returned; default all. */
  readonly allows?: (name: string) => boolean;
}

/**
 * A full-text index of tools. Adding and removing costs in proportion to the document, not to the
 * index.
 */
export interface SearchIndex {
  readonly size: number;
  /** Adds a document, or replaces the one of the same name. */
  add(document: SearchDocument): void;
  /** Returns whether there was one. */
  remove(name: string): boolean;
  /**
   * The best documents for a query: those whose name is the query, then those whose name begins
   * with it, then by score. Equal scores are ordered by name, by UTF-16 units; so the order depends
   * on the set of documents alone, not on how it came about.
   */
  search(query: string, options: SearchOptions): readonly SearchHit[];
}

/** An empty index. */
export function createSearchIndex(): SearchIndex {
  const vocabulary = createVocabulary();
  const documents = new Map<string, IndexedDocument>();
  const byName = new Map<string, Set<IndexedDocument>>();

  const remove = (name: string): boolean => {
    const indexed = documents.get(name);
    if (indexed === undefined) return false;
    documents.delete(name);
    for (const stem of indexed.impacts.keys()) {
      const term = vocabulary.intern(stem);
      term.postings.delete(indexed);
      if (term.postings.size === 0) vocabulary.forget(term);
    }
    for (const key of keysOf(indexed.document)) {
      const others = byName.get(key);
      others?.delete(indexed);
      if (others?.size === 0) byName.delete(key);
    }
    return true;
  };
  return {
    get size() {
      return documents.size;
    },
    add(document) {
      remove(document.name);
      const indexed = scoreDocument(document);
      documents.set(document.name, indexed);
      for (const [stem, impact] of indexed.impacts) vocabulary.intern(stem).postings.set(indexed, impact);
      for (const key of keysOf(document)) byName.set(key, (byName.get(key) ?? new Set()).add(indexed));
    },
    remove,
    search(query, { limit, allows = () => true }) {
      const clauses = expandQuery(query, vocabulary);
      const matches = findByName(byName, query);
      return rankDocuments(documents.size, { clauses, matches, isQuestion: isQuestion(query), limit, allows });
    },
  };
}

const shortestPrefix = 3;
const longestName = 160;

/** A name in any spelling: `createIssue`, `create-issue`, `create issue`. */
function keyOf(name: string): string {
  return splitWords(name.slice(0, longestName)).join("_");
}

function keysOf({ name, shortName, aliases }: SearchDocument): ReadonlySet<string> {
  return new Set([name, shortName, ...aliases].map(keyOf).filter((key) => key !== ""));
}

/** Documents whose name is the query, and those whose name begins with it. */
interface NameMatches {
  readonly exact: ReadonlySet<IndexedDocument>;
  readonly prefix: ReadonlySet<IndexedDocument>;
}

function findByName(byName: ReadonlyMap<string, ReadonlySet<IndexedDocument>>, query: string): NameMatches {
  const key = query.length > longestName ? "" : keyOf(query);
  const exact = byName.get(key) ?? new Set();
  const prefix = new Set<IndexedDocument>();
  if (key.length < shortestPrefix) return { exact, prefix };
  for (const [name, documents] of byName) {
    if (name.startsWith(key)) for (const one of documents) if (!exact.has(one)) prefix.add(one);
  }
  return { exact, prefix };
}

/** The query's side of a search. */
interface RankRequest {
  readonly clauses: readonly Clause[];
  readonly matches: NameMatches;
  /** Says whether it asks for information rather than for a deed. */
  readonly isQuestion: boolean;
  readonly limit: number;
  readonly allows: (name: string) => boolean;
}

// How many of the best by words alone are looked at more closely.
const closerLook = 40;
// How much it counts when the query says a tool's whole name, in other words. Tuned on the
// developing half of the data set.
const nameCoverage = 0.5;
const queryCoverage = 0.3;
// How much it counts that a tool has to do with all that the query says, not with one word of it.
const clauseCoverage = 0.5;
// How much it costs when the name says one where the query says many, or the other way round:
// `get_service` is for "service".
const numberPenalty = 0.2;
const serverBonus = 0.3;
const readingBonus = 0.1;
const destructivePenalty = 0.15;
// A tool that its author wants nobody to use any more is below all that do as well.
const deprecatedFactor = 0.4;
const deprecated = /\bDEPRECATED\b|^\W*[Dd]eprecated\b|\b(?:[Tt]ool|[Tt]his|[Ii]t) (?:is|has been) deprecated\b/;

function rankDocuments(size: number, request: RankRequest): readonly SearchHit[] {
  const { clauses, matches, limit } = request;
  const scores = sumClauses(clauses, size);
  const meets = meetsRequired(clauses);
  const allows = (indexed: IndexedDocument): boolean => meets(indexed) && request.allows(indexed.document.name);
  // Those that match by name are taken first, whatever their score.
  const named = [...matches.exact, ...matches.prefix].filter(allows);
  const isNamed = new Set(named);
  const others = Array.from(scores, ([indexed, { score }]) => ({ indexed, score }))
    .filter(({ indexed }) => !isNamed.has(indexed) && allows(indexed))
    .sort((a, b) => b.score - a.score || compareNames(a.indexed, b.indexed))
    .slice(0, Math.max(closerLook, limit));
  const query = { clauses, weightOf: bestWeights(clauses), manyOf: numbersOf(clauses) };
  const hits = [...named, ...others.map(({ indexed }) => indexed)].map((indexed) => {
    const { score, matched } = scores.get(indexed) ?? { score: 0, matched: 0 };
    const match = matches.exact.has(indexed) ? "exact" : matches.prefix.has(indexed) ? "prefix" : "words";
    const covered = clauses.length === 0 ? 0 : (clauseCoverage * matched) / clauses.length;
    const factor = closeness(indexed, query) + intent(indexed, request.isQuestion, query.weightOf) + covered;
    const use = isDeprecated(indexed.document) ? deprecatedFactor : 1;
    return { name: indexed.document.name, match, score: score * factor * use } as const;
  });
  const tiers = ["exact", "prefix", "words"];
  return hits
    .sort((a, b) => tiers.indexOf(a.match) - tiers.indexOf(b.match) || b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit);
}

function compareNames(a: IndexedDocument, b: IndexedDocument): number {
  return a.document.name < b.document.name ? -1 : 1;
}

function isDeprecated({ title, description }: SearchDocument): boolean {
  return deprecated.test(title) || deprecated.test(description);
}

interface Score {
  score: number;
  /** How many clauses of the query the document matches. */
  matched: number;
}

/** Sums up, for each clause of the query, what its best term says about each document. */
function sumClauses(clauses: readonly Clause[], size: number): ReadonlyMap<IndexedDocument, Score> {
  const scores = new Map<IndexedDocument, Score>();
  for (const { variants, literal } of clauses) {
    const ceiling = literal === undefined ? Number.POSITIVE_INFINITY : rarity(literal, size);
    const best = new Map<IndexedDocument, number>();
    for (const [term, weight] of variants) {
      const factor = weight * Math.min(ceiling, rarity(term, size));
      for (const [indexed, impact] of term.postings) {
        const score = factor * impact;
        if (score > (best.get(indexed) ?? 0)) best.set(indexed, score);
      }
    }
    for (const [indexed, score] of best) {
      const sum = scores.get(indexed);
      if (sum === undefined) scores.set(indexed, { score, matched: 1 });
      else {
        sum.score += score;
        sum.matched += 1;
      }
    }
  }
  return scores;
}

/** BM25's inverse document frequency: what a word says by being rare. */
function rarity({ postings }: Term, size: number): number {
  return Math.log(1 + (size - postings.size + 0.5) / (postings.size + 0.5));
}

function bestWeights(clauses: readonly Clause[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { variants } of clauses) {
    for (const [{ stem }, weight] of variants) if (weight > (weights.get(stem) ?? 0)) weights.set(stem, weight);
  }
  return weights;
}

/** Says whether each word of the query is a plural. */
function numbersOf(clauses: readonly Clause[]): ReadonlyMap<string, boolean> {
  return new Map(
    clauses.flatMap(({ literal, isPlural }) => (literal === undefined ? [] : [[literal.stem, isPlural] as const])),
  );
}

interface ReadQuery {
  readonly clauses: readonly Clause[];
  readonly weightOf: ReadonlyMap<string, number>;
  readonly manyOf: ReadonlyMap<string, boolean>;
}

/**
 * About 1 and up: how much of the name the query says, how much of the query the name says, and
 * whether both mean one or many.
 */
function closeness({ name, context }: IndexedDocument, { clauses, weightOf, manyOf }: ReadQuery): number {
  if (name.size === 0 || clauses.length === 0) return 1;
  const stems = Array.from(name.keys());
  const said = stems.reduce((sum, stem) => sum + (weightOf.get(stem) ?? 0), 0);
  const disagreeing = stems.filter((stem) => manyOf.get(stem) === !name.get(stem)).length;
  const named = clauses.reduce((sum, { variants }) => {
    const weights = Array.from(variants, ([{ stem }, weight]) => (name.has(stem) ? weight : 0));
    return sum + Math.max(0, ...weights);
  }, 0);
  const namesServer = context.some((stem) => manyOf.has(stem));
  return (
    1 +
    (nameCoverage * said) / Math.max(2, name.size) +
    (queryCoverage * named - numberPenalty * disagreeing) / clauses.length +
    (namesServer ? serverBonus : 0)
  );
}

/**
 * Questions are for tools that look, and nothing destructive comes first unless the query speaks of
 * it.
 */
function intent({ name }: IndexedDocument, asks: boolean, weightOf: ReadonlyMap<string, number>): number {
  const stems = Array.from(name.keys());
  const reads = asks && stems.some(isReadingVerb);
  const destroys = stems.some((stem) => isDestructiveVerb(stem) && !weightOf.has(stem));
  return (reads ? readingBonus : 0) - (destroys ? destructivePenalty : 0);
}

function meetsRequired(clauses: readonly Clause[]): (indexed: IndexedDocument) => boolean {
  const required = clauses
    .filter((clause) => clause.required)
    // The word itself if there is one, not what else it may mean.
    .map(({ literal, variants }) => (literal === undefined ? Array.from(variants.keys()) : [literal]));
  return (indexed) => required.every((terms) => terms.some(({ postings }) => postings.has(indexed)));
}
