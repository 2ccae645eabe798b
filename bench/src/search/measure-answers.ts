// What the helpers' answers cost in tokens, over 20 recorded servers, with a budget of 8,000. Prints a table and writes it into docs/discovery.md.
import type { JsonObject } from "@toolport/core";
import { countDeclared, countTokens } from "./count-tokens.ts";
import { readPublishedQueries } from "./read-published-queries.ts";
import { localNames } from "./measure-quality.ts";
import { createSetToolbox } from "./set-toolbox.ts";
import { readPublishedSet } from "./tool-set.ts";
import { tableOf, writeTable } from "./write-table.ts";

const budget = 8000;
const published = readPublishedSet();
const servers = published.filter(({ source }) => source === "recorded").slice(0, 20);
const queries = readPublishedQueries("published", new Set(localNames(published).keys()));
const toolbox = createSetToolbox(servers);
const definitions = toolbox.definitions();

const searches: number[] = [];
for (const { query } of queries) searches.push(await costOf("tools_search", { query }));
const groups: number[] = [];
for (const { group } of servers) groups.push(await costOf("tools_select", { group: group.id }));
const helpers = toolbox.view({ alwaysHelpers: true }).definitions({ budget: 1 });
writeTable(
  "answers",
  tableOf(
    ["", "median", "most"],
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
      [`\`tools_search\`: 5 tools, ${queries.length} queries`, ...spread(searches)],
      ["`tools_select`: one group, its first page", ...spread(groups)],
    ],
  ),
);

/** Of a conversation that asks only this. */
async function costOf(helper: string, input: JsonObject): Promise<number> {
  const view = toolbox.view();
  view.definitions({ budget });
  return countTokens(JSON.stringify((await view.call(helper, input)).structuredContent));
}

function same(tokens: number): readonly string[] {
  return [tokens.toLocaleString("en"), ""];
}

function spread(tokens: readonly number[]): readonly string[] {
  const sorted = tokens.toSorted((a, b) => a - b);
  return [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0].map((value) => value.toLocaleString("en"));
}
