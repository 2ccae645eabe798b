import type { SearchDocument } from "./search-document.ts";
import { joinWords, splitWords } from "./split-words.ts";
import { isPlural } from "./stem-word.ts";
import { stopWords } from "./stop-words.ts";
import type { Term, Vocabulary } from "./vocabulary.ts";

// How much a word says where it stands. Tuned on the developing half of the data set
// (docs/discovery.md), the description by cross-validation over servers.
const weights = {
  name: 3,
  title: 1.5,
  summary: 1.5,
  description: 1,
  parameters: 0.4,
  parameterTexts: 0.4,
  context: 1.5,
  about: 0.6,
};
// BM25's saturation: the tenth occurrence of a word says less than the second.
const saturation = 1.5;
// BM25's length normalisation, against fixed typical lengths instead of the average of the
// catalogue, so that a document's score does not depend on which other documents are there, and
// adding one re-scores none.
const typicalNameWords = 3;
const typicalDescriptionWords = 24;
const lengthPull = 0.6;

// Servers call themselves "files-server" or "GitHub MCP Server"; a query for a server is not meant
// for each of them.
const emptyWords: ReadonlySet<string> = new Set([...stopWords, "mcp", "server"]);

const maxSummaryWords = 24;
const maxDescriptionWords = 120;
const maxParameters = 40;
const maxParameterTextWords = 200;
const maxAboutWords = 80;
const maxJoinedWords = 12;
const maxNameWords = 24;

/**
 * Takes one term of a document, and how much it says about it: BM25 over weighted fields, before
 * the term's rarity counts.
 */
export type TakeImpact = (term: Term, impact: number) => void;

/** What of a document is looked at more closely when it is among the best. */
export interface DocumentTerms {
  /** The terms of its short name, without repeats. */
  readonly name: readonly Term[];
  /** Which of them stand there as plurals: a bit for each place. */
  readonly plurals: number;
  /** The terms of its server and groups. */
  readonly context: readonly Term[];
}

/**
 * Scores a document, term by term. The same document always gives the same terms and impacts. Reads
 * a bounded part of long texts.
 */
export function scoreDocument(document: SearchDocument, vocabulary: Vocabulary, take: TakeImpact): DocumentTerms {
  const terms: Term[] = [];
  const add = (term: Term, weight: number): void => {
    if (term.evidence === 0) terms.push(term);
    term.evidence += weight;
  };
  const addText = (words: readonly string[], weight: number): void => {
    for (const word of words) if (!stopWords.has(word)) add(vocabulary.intern(word), weight);
  };

  const nameWords = splitWords(document.shortName, maxNameWords);
  const nameWeight = weights.name / lengthFactor(nameWords.length, typicalNameWords);
  let plurals = 0;
  for (const word of nameWords) {
    const term = vocabulary.intern(word);
    if (term.evidence === 0 && isPlural(word)) plurals |= 1 << terms.length;
    add(term, nameWeight);
  }
  const nameTerms = terms.slice();
  addText(splitWords(document.title, maxNameWords), weights.title);
  addText(joinWords(document.title, maxJoinedWords), weights.title);
  const [summary, detail] = splitDescription(document.description);
  addText(summary, weights.summary);
  const length = summary.length + detail.length;
  const detailWeight = weights.description / lengthFactor(length, typicalDescriptionWords);
  addText(detail, detailWeight);
  addText(joinWords(document.description, maxJoinedWords), detailWeight);
  for (const parameter of document.parameters.slice(0, maxParameters)) {
    for (const word of splitWords(parameter, maxNameWords)) add(vocabulary.intern(word), weights.parameters);
  }
  const about = vocabulary.internText(document.about ?? "", aboutTerms);
  for (const term of about) if (term.evidence === 0) add(term, weights.about);
  // Once, and only what nothing else says: the examples and formats in them would outweigh the
  // tool's own words.
  for (const word of splitWords(document.parameterTexts ?? "", maxParameterTextWords)) {
    if (stopWords.has(word)) continue;
    const term = vocabulary.intern(word);
    if (term.evidence === 0) add(term, weights.parameterTexts);
  }
  const context = vocabulary.internText(document.context, contextTerms);
  for (const term of context) add(term, weights.context);
  for (const term of terms) {
    take(term, (term.evidence * (saturation + 1)) / (term.evidence + saturation));
    term.evidence = 0;
  }
  return { name: nameTerms, plurals, context };
}

function aboutTerms(about: string): readonly string[] {
  return splitWords(about, maxAboutWords).filter((word) => !emptyWords.has(word));
}

function contextTerms(context: string): readonly string[] {
  const words = [...splitWords(context, maxNameWords), ...joinWords(context, maxJoinedWords)];
  return words.filter((word) => !emptyWords.has(word));
}

function lengthFactor(length: number, typical: number): number {
  return 1 - lengthPull + (lengthPull * length) / typical;
}

/**
 * The words of a description's first sentence or line, and of the rest: detail, examples and
 * warnings.
 */
function splitDescription(description: string): readonly [summary: readonly string[], detail: readonly string[]] {
  const start = Math.max(0, description.search(/\S/));
  const length = description.slice(start, start + 400).search(/[.!?](?:\s|$)|\n/);
  const end = length === -1 ? description.length : start + length;
  const summary = splitWords(description.slice(start, end), maxDescriptionWords);
  const detail = splitWords(description.slice(end), maxDescriptionWords - summary.length);
  return [summary.slice(0, maxSummaryWords), summary.slice(maxSummaryWords).concat(detail)];
}
