import type { Clause } from "./expand-query.ts";
import type { NameMatches } from "./name-order.ts";
import type { DocumentTerms } from "./score-document.ts";
import type { SearchDocument } from "./search-document.ts";
import type { Term } from "./vocabulary.ts";

/** A document that matches a query. */
export interface SearchHit {
  readonly name: string;
  /** `exact` and `prefix`: by its name. `words`: by what it says. */
  readonly match: "exact" | "prefix" | "words";
  /** Comparable within one search only. */
  readonly score: number;
}

/** A document in the index. */
export interface IndexedDocument {
  readonly document: SearchDocument;
  readonly terms: DocumentTerms;
}

/**
 * Scratch space that searches reuse: numbers per document, all zero between searches, and lists of
 * slots.
 */
export interface ScoreBoard {
  totals: Float64Array;
  best: Float64Array;
  /** How many clauses of the query a document matches. */
  matched: Uint8Array;
  touched: Int32Array;
  hit: Int32Array;
}

/** An empty board. */
export function createScoreBoard(): ScoreBoard {
  return {
    totals: new Float64Array(0),
    best: new Float64Array(0),
    matched: new Uint8Array(0),
    touched: new Int32Array(0),
    hit: new Int32Array(0),
  };
}

function reserve(board: ScoreBoard, size: number): void {
  if (size <= board.totals.length) return;
  board.totals = new Float64Array(size * 2);
  board.best = new Float64Array(size * 2);
  board.matched = new Uint8Array(size * 2);
  board.touched = new Int32Array(size * 2);
  board.hit = new Int32Array(size * 2);
}

/** The index's side of a search. */
export interface RankedSet {
  /** By slot; a removed document leaves a hole. */
  readonly documents: readonly (IndexedDocument | undefined)[];
  /** How many documents there are. */
  readonly size: number;
  readonly board: ScoreBoard;
}

/** The query's side of a search. */
export interface RankRequest {
  readonly clauses: readonly Clause[];
  readonly matches: NameMatches;
  /** Whether it asks for information rather than for a deed. */
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

/** Scores, orders and cuts. */
export function rankDocuments(
  set: RankedSet,
  request: RankRequest,
): { readonly hits: readonly SearchHit[]; readonly postingsVisited: number } {
  const { documents, board } = set;
  const { clauses, matches, limit } = request;
  reserve(board, documents.length);
  const { touchedCount, postingsVisited } = sumClauses(set, clauses);
  const meets = meetsRequired(clauses);
  const allows = (slot: number): boolean => {
    const indexed = documents[slot];
    return indexed !== undefined && meets(slot) && request.allows(indexed.document.name);
  };
  // Those that match by name are taken first, and off the board, whatever their score.
  const named = [...matches.exact, ...matches.prefix]
    .filter(allows)
    .map((slot) => ({ slot, ...takeScore(board, slot) }));
  const leaders = takeLeaders(set, touchedCount, { limit: Math.max(closerLook, limit), allows });

  const query = { clauses, weightOf: bestWeights(clauses), manyOf: numbersOf(clauses) };
  const ranked: RankedHit[] = [];
  for (const candidate of [...named, ...leaders]) {
    const { slot, score } = candidate;
    const indexed = documents[slot];
    if (indexed === undefined) continue;
    const tier = matches.exact.has(slot) ? 0 : matches.prefix.has(slot) ? 1 : 2;
    const covered = clauses.length === 0 ? 0 : (clauseCoverage * candidate.matched) / clauses.length;
    const factor = closeness(indexed, query) + intent(indexed, request.isQuestion, query.weightOf) + covered;
    const use = isDeprecated(indexed.document) ? deprecatedFactor : 1;
    ranked.push({ name: indexed.document.name, tier, score: score * factor * use });
  }
  const best = ranked.sort(byRank).slice(0, limit);
  return {
    hits: best.map(({ name, tier, score }) => ({ name, match: tiers[tier] ?? "words", score })),
    postingsVisited,
  };
}

function isDeprecated({ title, description }: SearchDocument): boolean {
  return deprecated.test(title) || deprecated.test(description);
}

function takeScore(
  { totals, matched }: ScoreBoard,
  slot: number,
): { readonly score: number; readonly matched: number } {
  const taken = { score: totals[slot] ?? 0, matched: matched[slot] ?? 0 };
  totals[slot] = 0;
  matched[slot] = 0;
  return taken;
}

interface Candidate {
  readonly slot: number;
  readonly score: number;
  readonly matched: number;
}

interface RankedHit {
  readonly name: string;
  /** Its place in {@linkcode tiers}. */
  readonly tier: number;
  readonly score: number;
}

function byRank(a: RankedHit, b: RankedHit): number {
  return a.tier - b.tier || b.score - a.score || (a.name < b.name ? -1 : 1);
}

const tiers: readonly SearchHit["match"][] = ["exact", "prefix", "words"];

/** Leaves each document's score on the board, and which slots were touched. */
function sumClauses(
  { size, board }: RankedSet,
  clauses: readonly Clause[],
): { readonly touchedCount: number; readonly postingsVisited: number } {
  const { totals, best, matched, touched, hit } = board;
  let touchedCount = 0;
  let postingsVisited = 0;
  for (const { variants, literal } of clauses) {
    const ceiling = literal === undefined ? Number.POSITIVE_INFINITY : rarity(literal, size);
    let hitCount = 0;
    for (const [term, weight] of variants) {
      const factor = weight * Math.min(ceiling, rarity(term, size));
      const { slots, impacts } = term.postings;
      postingsVisited += slots.length;
      for (let at = 0; at < slots.length; at += 1) {
        const slot = slots[at] ?? 0;
        const score = factor * (impacts[at] ?? 0);
        const before = best[slot] ?? 0;
        if (before === 0) hit[hitCount++] = slot;
        if (score > before) best[slot] = score;
      }
    }
    for (let at = 0; at < hitCount; at += 1) {
      const slot = hit[at] ?? 0;
      const before = totals[slot] ?? 0;
      if (before === 0) touched[touchedCount++] = slot;
      totals[slot] = before + (best[slot] ?? 0);
      matched[slot] = (matched[slot] ?? 0) + 1;
      best[slot] = 0;
    }
  }
  return { touchedCount, postingsVisited };
}

/** BM25's inverse document frequency: what a word says by being rare. */
function rarity({ documents }: Term, size: number): number {
  return Math.log(1 + (size - documents + 0.5) / (documents + 0.5));
}

function bestWeights(clauses: readonly Clause[]): ReadonlyMap<Term, number> {
  const weights = new Map<Term, number>();
  for (const { variants } of clauses) {
    for (const [term, weight] of variants) if (weight > (weights.get(term) ?? 0)) weights.set(term, weight);
  }
  return weights;
}

/** Whether each word of the query is a plural. */
function numbersOf(clauses: readonly Clause[]): ReadonlyMap<Term, boolean> {
  const numbers = new Map<Term, boolean>();
  for (const { literal, isPlural } of clauses) if (literal !== undefined) numbers.set(literal, isPlural);
  return numbers;
}

interface ReadQuery {
  readonly clauses: readonly Clause[];
  readonly weightOf: ReadonlyMap<Term, number>;
  readonly manyOf: ReadonlyMap<Term, boolean>;
}

/**
 * About 1 and up: how much of the name the query says, how much of the query the name says, and
 * whether both mean one or many.
 */
function closeness(
  { terms: { name: nameTerms, plurals, context } }: IndexedDocument,
  { clauses, weightOf, manyOf }: ReadQuery,
): number {
  if (nameTerms.length === 0 || clauses.length === 0) return 1;
  const common: Term[] = [];
  let said = 0;
  let disagreeing = 0;
  let place = 0;
  for (const term of nameTerms) {
    const isMany = ((plurals >> place++) & 1) === 1;
    const weight = weightOf.get(term);
    if (weight === undefined) continue;
    if (manyOf.get(term) === !isMany) disagreeing += 1;
    common.push(term);
    said += weight;
  }
  let named = 0;
  for (const { variants } of clauses) {
    let most = 0;
    for (const term of common) most = Math.max(most, variants.get(term) ?? 0);
    named += most;
  }
  const namesServer = context.some((term) => manyOf.has(term));
  return (
    1 +
    (nameCoverage * said) / Math.max(2, nameTerms.length) +
    (queryCoverage * named - numberPenalty * disagreeing) / clauses.length +
    (namesServer ? serverBonus : 0)
  );
}

/**
 * Questions are for tools that look, and nothing destructive comes first unless the query speaks of
 * it.
 */
function intent(
  { terms: { name: nameTerms } }: IndexedDocument,
  isQuestion: boolean,
  weightOf: ReadonlyMap<Term, number>,
): number {
  let reads = false;
  let destroys = false;
  for (const term of nameTerms) {
    reads ||= term.isReadingVerb;
    destroys ||= term.isDestructiveVerb && !weightOf.has(term);
  }
  return (isQuestion && reads ? readingBonus : 0) - (destroys ? destructivePenalty : 0);
}

function meetsRequired(clauses: readonly Clause[]): (slot: number) => boolean {
  const required = clauses
    .filter((clause) => clause.required)
    // The word itself if there is one, not what else it may mean.
    .map(({ literal, variants }) => slotsOf(literal === undefined ? Array.from(variants.keys()) : [literal]));
  return (slot) => required.every((slots) => slots.has(slot));
}

function slotsOf(terms: readonly Term[]): ReadonlySet<number> {
  return new Set(terms.flatMap(({ postings }) => postings.slots));
}

/**
 * The best few, best first; of equal scores those by name. Clears the board. Names are looked at
 * only where scores tie.
 */
function takeLeaders(
  { board, documents }: RankedSet,
  touchedCount: number,
  { limit, allows }: { readonly limit: number; readonly allows: (slot: number) => boolean },
): readonly Candidate[] {
  const { totals, matched, touched } = board;
  const leaders: Leader[] = [];
  let least = 0;
  // Of the last leader, once there are enough.
  let lastName: string | undefined;
  for (let at = 0; at < touchedCount; at += 1) {
    const slot = touched[at] ?? 0;
    const score = totals[slot] ?? 0;
    totals[slot] = 0;
    if (score >= least && score > 0) {
      const name = documents[slot]?.document.name ?? "";
      const leads = lastName === undefined || score > least || name < lastName;
      if (leads && allows(slot)) {
        if (lastName !== undefined) leaders.pop();
        insert(leaders, { slot, score, matched: matched[slot] ?? 0, name });
        const last = leaders[limit - 1];
        if (last !== undefined) {
          least = last.score;
          lastName = last.name;
        }
      }
    }
    matched[slot] = 0;
  }
  return leaders;
}

interface Leader extends Candidate {
  readonly name: string;
}

/** Puts a leader before the first one that comes after it. */
function insert(leaders: Leader[], leader: Leader): void {
  let from = 0;
  let to = leaders.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = leaders[middle];
    const isBefore =
      other === undefined || leader.score > other.score || (leader.score === other.score && leader.name < other.name);
    if (isBefore) to = middle;
    else from = middle + 1;
  }
  leaders.splice(from, 0, leader);
}
