// Measures the search over the published servers by queries of other hands. Prints tables;
// `--write` also puts them into the page and asks the confirming queries, `asked` and `fresh`.
import { readFileSync, writeFileSync } from "node:fs";
import { chooseByFold, foldsOf, pairedGain, type Candidate } from "./cross-validate.ts";
import { makeDistractors } from "./distractors.ts";
import { localNames } from "./measure-quality.ts";
import { buildMiniSearch, miniSearchSettings, plainRanker, tunedMiniSearch } from "./peer-rankers.ts";
import { hostsideRanker, type Search } from "./rankers.ts";
import { queryStyles, readPublishedQueries, type PublishedQuery } from "./read-published-queries.ts";
import { readPublishedSet } from "./tool-set.ts";

const page = new URL("../../../docs/internals/search-measurements.md", import.meta.url);
const [startMark, endMark] = ["<!-- published: start -->", "<!-- published: end -->"];
const confirms = process.argv.includes("--write");

const published = readPublishedSet();
const toolCount = published.flatMap(({ tools }) => tools).length;
const names = localNames(published);
const known = new Set(names.keys());
// Settings were chosen by these, cross-validated by server.
const choosing = [
  { name: "develop", queries: readPublishedQueries("published", known) },
  { name: "confirm", queries: readPublishedQueries("confirm", known) },
  { name: "again", queries: readPublishedQueries("confirm-again", known) },
];
const develop = choosing.flatMap(({ queries }) => queries);

const developServers = develop.map(({ server }) => server);
const smallMiniSearch = buildMiniSearch(published);
// Tuned among the published tools alone. Its rows are of the settings that are best for all of
// these queries, as ours are.
const tried = miniSearchSettings.map((settings) => ({
  settings,
  scores: scoresOf(smallMiniSearch(settings), develop),
}));
const chosenByFold = chooseByFold(tried, developServers).map(({ settings }) => settings);
const chosen = bestOf(tried).settings;
if (JSON.stringify(chosen) !== JSON.stringify(tunedMiniSearch))
  throw new Error(`MiniSearch is best with ${JSON.stringify(chosen)} now; change tunedMiniSearch`);

const texts: string[] = [];
for (const size of [toolCount, 10_000]) {
  const servers = size === toolCount ? published : [...published, ...makeDistractors(size - toolCount)];
  const own = hostsideRanker.build(servers);
  const plain = plainRanker.build(servers);
  const miniSearch = buildMiniSearch(servers);
  const peer = heldOut(chosenByFold.map((settings) => scoresOf(miniSearch(settings), develop)));
  const notes = [`held out: ${ahead(develop, peer, scoresOf(own, develop))}`];
  const rows: (readonly string[])[] = [];
  const hadNoSay = confirms ? confirming() : [];
  for (const set of [...choosing, ...hadNoSay]) {
    const { name, queries } = set;
    const tuned = scoresOf(miniSearch(chosen), queries);
    const ours = scoresOf(own, queries);
    rows.push(row(hadNoSay.includes(set) ? ["**Hostside**", `**${name}**`] : ["Hostside", name], queries, ours));
    rows.push(row(["MiniSearch, tuned", name], queries, tuned));
    rows.push(row(["Plain BM25", name], queries, scoresOf(plain, queries)));
    notes.push(`${name}: ${ahead(queries, tuned, ours)}`);
  }
  const head = ["", "queries", "", "recall@1", "@5", "MRR", ...queryStyles];
  const rule = head.map((_, at) => (at < 2 ? "---" : "---:"));
  const title = `### Published servers, among ${size.toLocaleString("en")} tools`;
  texts.push(`${title}\n\n${[head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}`);
  process.stdout.write(`${texts.at(-1)}\n\n${notes.join("\n")}\n\n`);
}
if (confirms) writeFileSync(page, withTables(readFileSync(page, "utf8"), texts.join("\n\n")));

/** The sets that nothing was chosen by. */
function confirming(): readonly { readonly name: string; readonly queries: readonly PublishedQuery[] }[] {
  return [
    { name: "asked", queries: readPublishedQueries("confirm-asked", known) },
    { name: "fresh", queries: readPublishedQueries("confirm-fresh", known) },
  ];
}

/** 1 / rank of each query's first answer, or 0. */
function scoresOf(search: Search, queries: readonly PublishedQuery[]): readonly number[] {
  return queries.map(({ query, answers }) => {
    const wanted = new Set(answers.map((answer) => names.get(answer)));
    const at = search(query, 10).findIndex((name) => wanted.has(name));
    return at === -1 ? 0 : 1 / (at + 1);
  });
}

/** Of each query, the score by the settings that its fold was given. */
function heldOut(scoresByFold: readonly (readonly number[])[]): readonly number[] {
  return foldsOf(developServers).map((fold, at) => scoresByFold[fold]?.[at] ?? 0);
}

function bestOf<T extends Candidate>(candidates: readonly T[]): T {
  return candidates.reduce((best, candidate) => (mean(candidate.scores) > mean(best.scores) ? candidate : best));
}

function row(
  head: readonly [name: string, set: string],
  queries: readonly PublishedQuery[],
  scores: readonly number[],
): readonly string[] {
  const share = (least: number): number => mean(scores.map((score) => (score >= least ? 1 : 0)));
  const byStyle = queryStyles.map((style) => mean(scores.filter((_, at) => queries[at]?.style === style)));
  const figures = [share(1), share(1 / 5), mean(scores), ...byStyle].map((value) => value.toFixed(2));
  return [...head, String(queries.length), ...figures];
}

function ahead(queries: readonly PublishedQuery[], before: readonly number[], after: readonly number[]): string {
  const gain = pairedGain(
    before,
    after,
    queries.map(({ server }) => server),
  );
  const [middle, low, high] = [gain.mean, gain.low, gain.high].map((value) => value.toFixed(3));
  return `${queries.length} queries: ahead of tuned MiniSearch by ${middle} MRR [${low}, ${high}].`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function withTables(markdown: string, tables: string): string {
  const [from, to] = [markdown.indexOf(startMark), markdown.indexOf(endMark)];
  if (from === -1 || to < from)
    throw new Error(`docs/internals/search-measurements.md has no ${startMark} … ${endMark}`);
  return `${markdown.slice(0, from + startMark.length)}\n\n${tables}\n\n${markdown.slice(to)}`;
}
