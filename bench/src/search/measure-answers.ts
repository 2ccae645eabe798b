// What the helpers' answers cost in tokens, over 20 recorded servers, with `maxToolTokens` of
// 8,000. Prints a table and writes it into docs/internals/search-measurements.md.
import type { JsonObject } from "@hostside/core";
import { countDeclared, countTokens } from "./count-tokens.ts";
import { readPublishedQueries } from "./read-published-queries.ts";
import { localNames } from "./measure-quality.ts";
import { createSetToolbox } from "./set-toolbox.ts";
import { readPublishedSet } from "./tool-set.ts";
import { tableOf, writeTable } from "./write-table.ts";

const maxToolTokens = 8000;
const published = readPublishedSet();
const servers = published.filter(({ source }) => source === "recorded").slice(0, 20);
const local = localNames(published);
const queries = readPublishedQueries("published", new Set(local.keys()));
const toolbox = createSetToolbox(servers);
const definitions = toolbox.tools();

const own = new Set(definitions.map(({ name }) => name));
const searches: number[] = [];
const found = { asked: 0, described: 0, named: 0 };
for (const { query, answers } of queries) {
  const answer = await answerOf("tools_search", { query });
  searches.push(countTokens(answer));
  const wanted = answers.flatMap((name) => local.get(name) ?? []).filter((name) => own.has(name));
  if (wanted.length === 0) continue;
  const { tools } = JSON.parse(answer) as { readonly tools: readonly { readonly name: string }[] };
  found.asked += 1;
  if (tools.some(({ name }) => wanted.includes(name))) found.described += 1;
  if (wanted.some((name) => answer.includes(`"${name}"`))) found.named += 1;
}
const groups: number[] = [];
for (const { group } of servers) groups.push(await costOf("tools_select", { group: group.id }));
const helpers = toolbox.view({ alwaysHelpers: true }).tools({ maxToolTokens: 1 });
writeTable(
  "answers",
  tableOf(
    ["", "median", "most", "has the wanted tool"],
    [
      [
        `everything declared: ${definitions.length} tools of ${servers.length} servers`,
        ...same(countDeclared(definitions)),
      ],
      ["the three helpers, declared", ...same(countDeclared(helpers))],
      [
        `\`tools_groups\`: the directory of ${servers.length} groups`,
        ...same(await costOf("tools_groups", { query: "*" })),
      ],
      [
        `\`tools_search\`: 5 tools, ${queries.length} queries`,
        ...spread(searches),
        `${percent(found.described)} of ${found.asked}, ${percent(found.named)} with those it only names`,
      ],
      ["`tools_select`: one group, its first page", ...spread(groups), ""],
    ],
  ),
);

/** Of a conversation that asks only this. */
async function costOf(helper: string, input: JsonObject): Promise<number> {
  return countTokens(await answerOf(helper, input));
}

async function answerOf(helper: string, input: JsonObject): Promise<string> {
  const view = toolbox.view();
  view.tools({ maxToolTokens });
  return JSON.stringify((await view.call(helper, input)).structuredContent);
}

function percent(count: number): string {
  return `${Math.round((count / found.asked) * 100)} %`;
}

function same(tokens: number): readonly string[] {
  return [tokens.toLocaleString("en"), "", ""];
}

function spread(tokens: readonly number[]): readonly string[] {
  const sorted = tokens.toSorted((a, b) => a - b);
  return [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0].map((value) => value.toLocaleString("en"));
}
