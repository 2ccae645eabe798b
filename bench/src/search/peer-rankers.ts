import { aboutGroup, relatedTerms, searchTerms, toSearchDocument } from "@hostside/discovery";
import MiniSearch from "minisearch";
import type { Ranker, Search } from "./rankers.ts";
import type { ToolSetServer } from "./tool-set.ts";

/**
 * What of MiniSearch is tuned, over the same fields, words, stems and stop words as Hostside's
 * index.
 */
export interface MiniSearchSettings {
  /** How much more a word in a name counts. */
  readonly nameBoost: number;
  /** The same for words of the server. */
  readonly contextBoost: number;
  /** The same for texts of parameters and of the server about itself. */
  readonly minorBoost: number;
  /** What a word adds wherever it stands, however long the text (BM25+). */
  readonly delta: number;
  /** Typing mistakes forgiven, as a share of a word's length; 0: none. */
  readonly fuzzy: number;
  readonly prefix: boolean;
  /** How much a word of Hostside's tables counts; 0: no tables. */
  readonly related: number;
}

/** Every combination that is tried. */
export const miniSearchSettings: readonly MiniSearchSettings[] = [1, 2].flatMap((nameBoost) =>
  [0.5, 1, 2].flatMap((contextBoost) =>
    [0, 0.2].flatMap((minorBoost) =>
      [0, 0.5].flatMap((delta) =>
        [0, 0.3].flatMap((related) =>
          [0, 0.2].flatMap((fuzzy) =>
            (fuzzy === 0 ? [false] : [false, true]).map((prefix) => {
              return { nameBoost, contextBoost, minorBoost, delta, fuzzy, prefix, related };
            }),
          ),
        ),
      ),
    ),
  ),
);

/**
 * The best of them by the queries to develop with; `published.ts` chooses it anew, and says so when
 * it is another.
 */
export const tunedMiniSearch: MiniSearchSettings = {
  nameBoost: 1,
  contextBoost: 2,
  minorBoost: 0.2,
  delta: 0,
  fuzzy: 0.2,
  prefix: false,
  related: 0,
};

/** What MiniSearch is asked, for every setting, over one index. */
export function buildMiniSearch(servers: readonly ToolSetServer[]): (settings: MiniSearchSettings) => Search {
  const fields = ["shortName", "title", "description", "parameters", "parameterTexts", "context", "about"];
  const own = new MiniSearch({
    idField: "name",
    fields,
    tokenize: (text) => [...searchTerms(text)],
    processTerm: (term) => term,
  });
  for (const { id, group, tools } of servers) {
    own.addAll(
      tools.map((tool) => {
        const document = toSearchDocument(tool, `${id} ${group.title}`, aboutGroup(group));
        return { ...document, parameters: document.parameters.join(" ") };
      }),
    );
  }
  return ({ nameBoost, contextBoost, minorBoost, delta, fuzzy, prefix, related }) =>
    (query, limit) => {
      const terms = new Set(searchTerms(query));
      const others = related === 0 ? [] : Array.from(terms).flatMap(relatedTerms);
      const isOwn = (term: string): boolean => terms.has(term);
      return own
        .search(query, {
          tokenize: () => Array.from(new Set([...terms, ...others])),
          boost: { shortName: nameBoost, context: contextBoost, parameterTexts: minorBoost, about: minorBoost },
          fields: minorBoost === 0 ? fields.filter((field) => field !== "parameterTexts" && field !== "about") : fields,
          bm25: { k: 1.2, b: 0.7, d: delta },
          boostTerm: (term) => (isOwn(term) ? 1 : related),
          prefix: prefix && isOwn,
          fuzzy: (term) => (isOwn(term) && term.length > 3 ? fuzzy : false),
        })
        .slice(0, limit)
        .map(({ id }) => String(id));
    };
}

/**
 * The textbook's BM25 over name, title and description, without stems or tables, in typed arrays:
 * what any search costs.
 */
export const plainRanker: Ranker = {
  name: "Plain BM25",
  build(servers) {
    const tools = servers.flatMap((server) => server.tools);
    const texts = tools.map(({ name, title = "", description }) => plainWords(`${name} ${title} ${description}`));
    const postings = new Map<string, number[]>();
    for (const [at, words] of texts.entries()) for (const word of words) fileUnder(postings, word, at);
    const typical = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length);
    const pulls = Float64Array.from(texts, (words) => 1.2 * (0.25 + (0.75 * words.length) / typical));
    const scores = new Float64Array(tools.length);
    const touched = new Int32Array(tools.length);
    return (query, limit) => {
      let count = 0;
      for (const word of new Set(plainWords(query))) {
        const list = postings.get(word) ?? [];
        const rarity = Math.log(1 + (tools.length - list.length + 0.5) / (list.length + 0.5));
        for (let next = 0; next < list.length;) {
          const at = list[next] ?? 0;
          const from = next;
          while (list[next] === at) next += 1;
          if (scores[at] === 0) touched[count++] = at;
          scores[at] = (scores[at] ?? 0) + (rarity * (next - from) * 2.2) / (next - from + (pulls[at] ?? 1));
        }
      }
      return takeBest(scores, touched.subarray(0, count), limit).map((at) => tools[at]?.name ?? "");
    };
  },
};

function fileUnder(postings: Map<string, number[]>, word: string, at: number): void {
  const list = postings.get(word);
  if (list === undefined) postings.set(word, [at]);
  else list.push(at);
}

/** The best few slots, and the scores zero again. */
function takeBest(scores: Float64Array, touched: Int32Array, limit: number): readonly number[] {
  const best: { readonly at: number; readonly score: number }[] = [];
  for (const at of touched) {
    const score = scores[at] ?? 0;
    scores[at] = 0;
    if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) continue;
    const place = best.findIndex((other) => other.score < score);
    best.splice(place === -1 ? best.length : place, 0, { at, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ at }) => at);
}

function plainWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
