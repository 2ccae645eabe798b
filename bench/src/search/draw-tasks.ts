import { createRandom } from "./seeded-random.ts";
import { localNames } from "./measure-quality.ts";
import { readPublishedQueries } from "./read-published-queries.ts";
import type { Task } from "./solve-task.ts";
import { readPublishedSet, type ToolSetServer } from "./tool-set.ts";

/** Tasks over some servers. */
export interface DrawnTasks {
  readonly servers: readonly ToolSetServer[];
  readonly tasks: readonly Task[];
}

const serverCount = 20;
const taskCount = 50;

/**
 * 20 servers that queries to develop with were written for, with all of their tools, and 50 of the
 * queries that these can answer; by the seed. Queries to confirm with stay unasked.
 */
export function drawTasks(seed: number): DrawnTasks {
  const random = createRandom(seed);
  const published = readPublishedSet();
  const names = localNames(published);
  const queries = readPublishedQueries("published", new Set(names.keys()));
  const asked = new Set(queries.map(({ server }) => server));
  for (;;) {
    const servers = shuffle(
      published.filter(({ id }) => asked.has(id)),
      random,
    ).slice(0, serverCount);
    const ids = new Set(servers.map(({ id }) => id));
    const own = shuffle(
      queries.filter(({ server }) => ids.has(server)),
      random,
    ).slice(0, taskCount);
    // Servers with fewer queries between them are drawn again.
    if (own.length < taskCount) continue;
    const tasks = own.map(({ query, answers }) => ({
      sentence: query,
      answers: new Set(answers.flatMap((answer) => names.get(answer) ?? [])),
    }));
    return { servers, tasks };
  }
}

function shuffle<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
