import { expandQuery } from "./expand-query.ts";
import { isQuestion } from "./name-intent.ts";
import { createNameOrder } from "./name-order.ts";
import { appendPosting } from "./posting-list.ts";
import { rankDocuments, createScoreBoard, type IndexedDocument, type SearchHit } from "./rank-documents.ts";
import { scoreDocument } from "./score-document.ts";
import type { SearchDocument } from "./search-document.ts";
import { createVocabulary, type Term } from "./vocabulary.ts";

/** How to search. */
export interface SearchOptions {
  /** Most hits to return. */
  readonly limit: number;
  /** Which names may be returned; default all. */
  readonly allows?: (name: string) => boolean;
}

/** What the index did so far, in units that do not depend on the machine. For tests of scale. */
export interface SearchWork {
  /** Documents read and scored, by `add` and `remove`. */
  readonly documentsScored: number;
  /** Postings read by queries and moved by clean-up. */
  readonly postingsVisited: number;
}

/**
 * A full-text index of tools. Adding and removing costs in proportion to the document, not to the
 * index.
 */
export interface SearchIndex {
  readonly size: number;
  readonly work: SearchWork;
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
  let vocabulary = createVocabulary();
  let documents: (IndexedDocument | undefined)[] = [];
  const slotOf = new Map<string, number>();
  const names = createNameOrder();
  const board = createScoreBoard();
  const work = { documentsScored: 0, postingsVisited: 0 };

  const add = (document: SearchDocument): void => {
    remove(document.name);
    const slot = documents.length;
    work.documentsScored += 1;
    const terms = scoreDocument(document, vocabulary, (term, impact) => {
      term.documents += 1;
      appendPosting(term.postings, slot, impact);
    });
    documents.push({ document, terms });
    slotOf.set(document.name, slot);
    names.add(document.name, slot);
    if (document.shortName !== document.name) names.add(document.shortName, slot);
    for (const alias of document.aliases) names.add(alias, slot);
  };

  const remove = (name: string): boolean => {
    const slot = slotOf.get(name);
    const indexed = slot === undefined ? undefined : documents[slot];
    if (slot === undefined || indexed === undefined) return false;
    slotOf.delete(name);
    documents[slot] = undefined;
    // Its postings stay until there are many dead ones; here only the counts are put right.
    work.documentsScored += 1;
    scoreDocument(indexed.document, vocabulary, (term) => {
      term.documents -= 1;
    });
    if (documents.length > 128 && slotOf.size < documents.length / 2) compact();
    return true;
  };

  // Rewrites everything without the dead half; paid for by the removals that made it.
  const compact = (): void => {
    const survivors = documents.filter((indexed) => indexed !== undefined);
    const target = new Map<number, number>();
    for (const [slot, indexed] of documents.entries()) if (indexed !== undefined) target.set(slot, target.size);
    const next = createVocabulary();
    for (const term of vocabulary.values()) {
      const { slots, impacts } = term.postings;
      work.postingsVisited += slots.length;
      const copy = term.documents > 0 ? next.internStem(term.stem) : undefined;
      if (copy === undefined) continue;
      for (const [at, from] of slots.entries()) {
        const slot = target.get(from);
        if (slot === undefined) continue;
        copy.documents += 1;
        appendPosting(copy.postings, slot, impacts[at] ?? 0);
      }
    }
    vocabulary = next;
    names.sweep((slot) => target.get(slot));
    const moved = (term: Term): Term => next.internStem(term.stem);
    documents = survivors.map(({ document, terms }) => ({
      document,
      terms: { ...terms, name: terms.name.map(moved), context: terms.context.map(moved) },
    }));
    slotOf.clear();
    for (const [slot, { document }] of survivors.entries()) slotOf.set(document.name, slot);
  };

  return {
    get size() {
      return slotOf.size;
    },
    work,
    add,
    remove,
    search(query, { limit, allows = () => true }) {
      const clauses = expandQuery(query, vocabulary);
      const matches = names.find(query);
      const { hits, postingsVisited } = rankDocuments(
        { documents, size: slotOf.size, board },
        { clauses, matches, isQuestion: isQuestion(query), limit, allows },
      );
      work.postingsVisited += postingsVisited;
      return hits;
    },
  };
}
