// Pools what three rankings put first for each confirming query of the second round, for somebody
// who judges which of these tools would do what the query asks. Nothing shows which ranking a tool
// is from, nor which tools the query's writer named: the order is by chance.
import { writeFileSync } from "node:fs";
import { localNames } from "./measure-quality.ts";
import { buildMiniSearch, plainRanker, tunedMiniSearch } from "./peer-rankers.ts";
import { hostsideRanker } from "./rankers.ts";
import { readPublishedQueries } from "./read-published-queries.ts";
import { createRandom } from "./seeded-random.ts";
import { readPublishedSet } from "./tool-set.ts";

const depth = 5;
const [file = "pool.json", set = "confirm-again"] = process.argv.slice(2);
if (set !== "confirm-again" && set !== "confirm-asked") throw new Error(`there is no set ${set}`);

const published = readPublishedSet();
const names = localNames(published);
const ids = new Map(Array.from(names, ([id, name]) => [name, id]));
const tools = new Map(published.flatMap((server) => server.tools).map((tool) => [tool.name, tool]));
const rankings = [
  hostsideRanker.build(published),
  plainRanker.build(published),
  buildMiniSearch(published)(tunedMiniSearch),
];
const random = createRandom(1);

const pools = readPublishedQueries(set, new Set(names.keys())).map(({ query }) => {
  const found = new Set(rankings.flatMap((search) => search(query, depth)));
  const candidates = Array.from(found)
    .map((name) => ({ name, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ name }) => ({
      id: ids.get(name),
      title: tools.get(name)?.title,
      description: tools.get(name)?.description.slice(0, 500),
    }));
  return { query, candidates };
});
writeFileSync(file, `[\n${pools.map((pool) => JSON.stringify(pool)).join(",\n")}\n]\n`);
process.stdout.write(
  `${pools.length} queries, ${pools.reduce((sum, { candidates }) => sum + candidates.length, 0)} tools to judge\n`,
);
