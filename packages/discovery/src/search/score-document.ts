import { joinWords, splitWords, stopWords } from "./split-words.ts";
import { isPlural, stemWord } from "./stem-word.ts";

/**
 * The texts of one tool for the index: untrusted text, read as words and never as anything else.
 */
export interface SearchDocument {
  /** The name a model calls the tool by; unique in the index, byte for byte. */
  readonly name: string;
  /** The name without the server's part. */
  readonly shortName: string;
  /** Further names that count as exact: the remote name, the server's id with the remote name. */
  readonly aliases: readonly string[];
  /** Blank when there is none. */
  readonly title: string;
  readonly description: string;
  /** Names of the parameters. */
  readonly parameters: readonly string[];
  /** The descriptions and permitted values of the parameters. Default blank. */
  readonly parameterTexts?: string;
  /** Words of the server and of the groups the tool is in. */
  readonly context: string;
  /** The purpose of its groups, such as a server's description and advice. Default blank. */
  readonly about?: string;
}

/** A document in the index. */
export interface IndexedDocument {
  readonly document: SearchDocument;
  /** How much each stem says about it: BM25 over weighted fields, before its rarity counts. */
  readonly impacts: ReadonlyMap<string, number>;
  /** The stems of its short name, without repeats, and whether they stand there as plurals. */
  readonly name: ReadonlyMap<string, boolean>;
  /** The stems of its server and groups. */
  readonly context: readonly string[];
}

// How much a word says where it stands. Tuned on the developing half of the data set
// (docs/reference/discovery.md), the description by cross-validation over servers.
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

/** Scores a document, stem by stem. Reads a bounded part of long texts. */
export function scoreDocument(document: SearchDocument): IndexedDocument {
  const evidence = new Map<string, number>();
  const add = (stem: string, weight: number): void => void evidence.set(stem, (evidence.get(stem) ?? 0) + weight);
  const addText = (words: readonly string[], weight: number): void => {
    for (const word of words) if (!stopWords.has(word)) add(stemWord(word), weight);
  };
  const addOnce = (words: readonly string[], weight: number): void => {
    for (const stem of words.map(stemWord)) if (!evidence.has(stem)) add(stem, weight);
  };

  const nameWords = splitWords(document.shortName, maxNameWords);
  const nameWeight = weights.name / lengthFactor(nameWords.length, typicalNameWords);
  const name = new Map<string, boolean>();
  for (const word of nameWords) {
    const stem = stemWord(word);
    if (!name.has(stem)) name.set(stem, isPlural(word));
    add(stem, nameWeight);
  }
  addText(splitWords(document.title, maxNameWords), weights.title);
  addText(joinWords(document.title, maxJoinedWords), weights.title);
  const [summary, detail] = splitDescription(document.description);
  addText(summary, weights.summary);
  const length = summary.length + detail.length;
  const detailWeight = weights.description / lengthFactor(length, typicalDescriptionWords);
  addText(detail, detailWeight);
  addText(joinWords(document.description, maxJoinedWords), detailWeight);
  for (const parameter of document.parameters.slice(0, maxParameters)) {
    for (const word of splitWords(parameter, maxNameWords)) add(stemWord(word), weights.parameters);
  }
  const aboutWords = splitWords(document.about ?? "", maxAboutWords);
  addOnce(
    aboutWords.filter((word) => !emptyWords.has(word)),
    weights.about,
  );
  // Once, and only what nothing else says: the examples and formats in them would outweigh the
  // tool's own words.
  const parameterWords = splitWords(document.parameterTexts ?? "", maxParameterTextWords);
  addOnce(
    parameterWords.filter((word) => !stopWords.has(word)),
    weights.parameterTexts,
  );
  const contextWords = [...splitWords(document.context, maxNameWords), ...joinWords(document.context, maxJoinedWords)];
  const context = contextWords.filter((word) => !emptyWords.has(word)).map(stemWord);
  for (const stem of context) add(stem, weights.context);
  const impacts = new Map(
    Array.from(evidence, ([stem, sum]) => [stem, (sum * (saturation + 1)) / (sum + saturation)] as const),
  );
  return { document, impacts, name, context };
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
