// Measures the search beside its alternatives, prints the tables and writes them into
// docs/internals/search-measurements.md.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { makeDistractors } from "./distractors.ts";
import { measureCost, type Cost } from "./measure-cost.ts";
import { localNames, measureQuality, type Quality } from "./measure-quality.ts";
import { rankers, hostsideRanker, type Ranker } from "./rankers.ts";
import { queryKinds, readQueries, type LabelledQuery } from "./read-queries.ts";
import { sampleTools } from "./sample-tools.ts";
import { readToolSet, type ToolSetServer } from "./tool-set.ts";

const page = new URL("../../../docs/internals/search-measurements.md", import.meta.url);
const sizes = [100, 1000, 10_000];

const toolSet = readToolSet();
const toolCount = toolSet.flatMap(({ tools }) => tools).length;
const known = new Set(localNames(toolSet).keys());
const develop = readQueries("develop", known);
const report = readQueries("report", known);

const tables = [
  sizeTables(),
  kindTable(),
  `Node ${process.versions.node}, ${cpus()[0]?.model.trim() ?? "unknown processor"}.`,
];
const text = tables.join("\n\n");
process.stdout.write(`${text}\n`);
writeFileSync(page, withTables(readFileSync(page, "utf8"), text));

function sizeTables(): string {
  return sizes
    .map((size) => {
      const servers =
        size < toolCount ? sampleTools(toolSet, size) : [...toolSet, ...makeDistractors(size - toolCount)];
      const names = localNames(servers);
      const askable = report.filter(({ answers }) => answers.some((answer) => names.has(answer)));
      const rows = rankers.map((ranker) => measureRow(ranker, servers, askable));
      const head = `### Among ${size.toLocaleString("en")} tools (${askable.length} queries)`;
      return `${head}\n\n${table(["", "recall@1", "@3", "@5", "MRR", "p50 ms", "p99 ms", "build ms", "MB"], rows)}`;
    })
    .join("\n\n");
}

function measureRow(
  ranker: Ranker,
  servers: readonly ToolSetServer[],
  queries: readonly LabelledQuery[],
): readonly string[] {
  const quality = measureQuality(ranker.build(servers), queries, localNames(servers));
  const cost = measureCost(
    ranker,
    servers,
    queries.map(({ query }) => query),
  );
  return [ranker.name, ...qualityCells(quality), ...costCells(cost)];
}

function kindTable(): string {
  const search = hostsideRanker.build(toolSet);
  const names = localNames(toolSet);
  const rows = queryKinds.flatMap((kind) =>
    (
      [
        ["develop", develop],
        ["report", report],
      ] as const
    ).map(([half, queries]) => {
      const quality = measureQuality(
        search,
        queries.filter((query) => query.kind === kind),
        names,
      );
      return [kind, half, String(quality.queries), ...qualityCells(quality)];
    }),
  );
  const totals = (
    [
      ["develop", develop],
      ["report", report],
    ] as const
  ).map(([half, queries]) => {
    const quality = measureQuality(search, queries, names);
    return ["all", half, String(quality.queries), ...qualityCells(quality)];
  });
  const head = `### By kind of query, among the ${toolCount} tools of the data set`;
  return `${head}\n\n${table(["kind", "half", "queries", "recall@1", "@3", "@5", "MRR"], [...rows, ...totals])}`;
}

function qualityCells({ recall1, recall3, recall5, mrr }: Quality): readonly string[] {
  return [recall1, recall3, recall5, mrr].map((value) => value.toFixed(2));
}

function costCells({ p50Ms, p99Ms, buildMs, bytes }: Cost): readonly string[] {
  return [p50Ms.toFixed(3), p99Ms.toFixed(3), buildMs.toFixed(buildMs < 10 ? 1 : 0), (bytes / 1e6).toFixed(1)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

function withTables(markdown: string, tablesText: string): string {
  const [start, end] = ["<!-- measured: start -->", "<!-- measured: end -->"];
  const from = markdown.indexOf(start);
  const to = markdown.indexOf(end);
  if (from === -1 || to < from) throw new Error(`docs/internals/search-measurements.md has no ${start} … ${end}`);
  return `${markdown.slice(0, from + start.length)}\n\n${tablesText}\n\n${markdown.slice(to)}`;
}
