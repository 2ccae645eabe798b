import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clause } from "./expand-query.ts";
import { appendPosting } from "./posting-list.ts";
import { createScoreBoard, rankDocuments, type IndexedDocument, type SearchHit } from "./rank-documents.ts";
import { createVocabulary, type Term } from "./vocabulary.ts";

const stems = ["get", "issue", "delet", "page", "server", "user", "list"];
// Few values, so that many documents are equal, and names decide.
const impact = fc.constantFrom(0.3, 1, 1.7);
const documentsArbitrary = fc.array(
  fc.record({
    says: fc.array(fc.tuple(fc.constantFrom(...stems), impact), { minLength: 1, maxLength: 5 }),
    name: fc.uniqueArray(fc.constantFrom(...stems), { maxLength: 3 }),
    plurals: fc.nat(7),
    context: fc.uniqueArray(fc.constantFrom(...stems), { maxLength: 1 }),
  }),
  { minLength: 40, maxLength: 140, size: "max" },
);
const clausesArbitrary = fc.array(
  fc.record({
    words: fc.uniqueArray(fc.constantFrom(...stems), { minLength: 1, maxLength: 4 }),
    weights: fc.array(fc.constantFrom(0.4, 0.7, 0.9, 1), { minLength: 4, maxLength: 4 }),
    hasLiteral: fc.boolean(),
    isPlural: fc.boolean(),
  }),
  { maxLength: 5 },
);

describe("rankDocuments()", () => {
  it("gives to the bit what scoring every document and sorting all of them gives", () => {
    const limits = fc.constantFrom(1, 5, 45);
    const cases = fc.record({
      made: documentsArbitrary,
      asked: clausesArbitrary,
      limit: limits,
      isQuestion: fc.boolean(),
      // One document in so many may be found.
      everyNth: fc.constantFrom(1, 2, 5),
    });
    fc.assert(
      fc.property(cases, ({ made, asked, limit, isQuestion, everyNth }) => {
        const vocabulary = createVocabulary();
        const termOf = (stem: string): Term => vocabulary.internStem(stem);
        const documents: IndexedDocument[] = made.map(({ says, name, plurals, context }, slot) => {
          for (const [stem, value] of new Map(says)) {
            const term = vocabulary.internStem(stem);
            term.documents += 1;
            appendPosting(term.postings, slot, value);
          }
          const text = `tool_${(slot * 37) % 149}`;
          const document = { name: text, shortName: text, aliases: [], title: "", description: "", parameters: [] };
          return {
            document: { ...document, context: "" },
            terms: { name: name.map(termOf), plurals, context: context.map(termOf) },
          };
        });
        const clauses: readonly Clause[] = asked.map(({ words, weights, hasLiteral, isPlural }) => {
          const terms = words.map((word) => vocabulary.internStem(word));
          const variants = new Map(terms.map((term, at) => [term, weights[at] ?? 1]));
          return { variants, literal: hasLiteral ? terms[0] : undefined, isPlural, required: false };
        });
        const set = { documents, size: documents.length, board: createScoreBoard() };
        const request = {
          clauses,
          isQuestion,
          limit,
          matches: { exact: new Set<number>(), prefix: new Set<number>() },
        };
        const allows = (name: string): boolean => Number(name.slice("tool_".length)) % everyNth === 0;
        const ask = (): readonly SearchHit[] => rankDocuments(set, { ...request, allows }).hits;
        const wanted = rankAll(documents, clauses, { limit, isQuestion, allows });
        expect(ask()).toEqual(wanted);
        // The board is clean again.
        expect(ask()).toEqual(wanted);
      }),
    );
  });
});

/** The same, in the most obvious way. */
function rankAll(
  documents: readonly IndexedDocument[],
  clauses: readonly Clause[],
  {
    limit,
    isQuestion,
    allows,
  }: { readonly limit: number; readonly isQuestion: boolean; readonly allows: (name: string) => boolean },
): readonly SearchHit[] {
  const rarity = (term: Term): number =>
    Math.log(1 + (documents.length - term.documents + 0.5) / (term.documents + 0.5));
  const scoreIn = (slot: number, { variants, literal }: Clause): number =>
    Math.max(
      0,
      ...Array.from(variants, ([term, weight]) => {
        const at = term.postings.slots.indexOf(slot);
        const factor = weight * Math.min(literal === undefined ? Infinity : rarity(literal), rarity(term));
        return at === -1 ? 0 : factor * (term.postings.impacts[at] ?? 0);
      }),
    );
  const weightIn = (term: Term, among: readonly Clause[]): number =>
    Math.max(0, ...among.map(({ variants }) => variants.get(term) ?? 0));
  const byScore = (a: SearchHit, b: SearchHit): number => b.score - a.score || (a.name < b.name ? -1 : 1);
  const scored = documents.map((indexed, slot) => {
    const scores = clauses.map((clause) => scoreIn(slot, clause));
    const score = scores.reduce((sum, value) => sum + value, 0);
    const { name, plurals, context } = indexed.terms;
    const said = name.reduce((sum, term) => sum + weightIn(term, clauses), 0);
    const named = clauses.reduce((sum, c) => sum + Math.max(0, ...name.map((term) => weightIn(term, [c]))), 0);
    const server = clauses.some(({ literal }) => literal !== undefined && context.includes(literal));
    // Where two clauses have one word, the later says whether it is a plural.
    const disagreeing = name.filter((term, at) => {
      const asked = clauses.findLast(({ literal }) => literal === term);
      return asked !== undefined && asked.isPlural !== (((plurals >> at) & 1) === 1);
    }).length;
    let factor = 1;
    if (name.length > 0 && clauses.length > 0)
      factor =
        1 +
        (0.5 * said) / Math.max(2, name.length) +
        (0.3 * named - 0.2 * disagreeing) / clauses.length +
        (server ? 0.3 : 0);
    let intent = 0;
    if (isQuestion && name.some(({ stem }) => ["get", "list"].includes(stem))) intent += 0.1;
    if (name.some((term) => term.stem === "delet" && weightIn(term, clauses) === 0)) intent -= 0.15;
    const covered = clauses.length === 0 ? 0 : (0.5 * scores.filter((value) => value > 0).length) / clauses.length;
    return { name: indexed.document.name, match: "words" as const, score, factor: factor + intent + covered };
  });
  return scored
    .filter(({ name, score }) => score > 0 && allows(name))
    .sort(byScore)
    .slice(0, Math.max(40, limit))
    .map(({ name, match, score, factor }) => ({ name, match, score: score * factor }))
    .sort(byScore)
    .slice(0, limit);
}
