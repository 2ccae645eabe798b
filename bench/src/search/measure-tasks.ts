// 50 tasks over 20 published servers, by a scripted model that chooses by words and knows only what
// it is shown, ten draws; and by what a large language model chose to do, played again. Prints
// tables and writes them into docs/internals/search-measurements.md.
import { drawTasks } from "./draw-tasks.ts";
import { playChoices, readChoices } from "./play-choices.ts";
import { createSetToolbox } from "./set-toolbox.ts";
import { solveTask, ways, type Attempt, type Way } from "./solve-task.ts";
import { tableOf, writeTable } from "./write-table.ts";

const seeds = Array.from({ length: 10 }, (_, at) => at + 1);
const attempts = new Map<Way, (readonly Attempt[])[]>(ways.map((way) => [way, []]));
for (const seed of seeds) {
  const { servers, tasks } = drawTasks(seed);
  const toolbox = createSetToolbox(servers);
  for (const way of ways) {
    const solved: Attempt[] = [];
    for (const task of tasks) solved.push(await solveTask(toolbox, task, way));
    attempts.get(way)?.push(solved);
  }
  toolbox.close();
}
const known = shareOf("everything", ({ solved }) => solved);
const head = [
  "way",
  "shown",
  "solved",
  "least and most of a draw",
  "of what it solves with everything",
  "turns",
  "at most 3",
  "tokens",
];
writeTable("tasks", tableOf(head, ways.map(rowOf)));
writeTable("choices", await measureChoices());

async function measureChoices(): Promise<string> {
  const { seed: drawn, tasks: recorded } = readChoices();
  const { servers, tasks } = drawTasks(drawn);
  const toolbox = createSetToolbox(servers);
  const rows: string[][] = [];
  const add = (name: string, all: readonly Attempt[]): void => {
    const mean = (of: (attempt: Attempt) => number): number => all.reduce((sum, one) => sum + of(one), 0) / all.length;
    const [shown, solved] = [mean((one) => Number(one.shown)), mean((one) => Number(one.solved))];
    const most = Math.max(...all.map(({ turns }) => turns));
    const tokens = Math.round(mean((one) => one.tokens)).toLocaleString("en");
    rows.push([name, percent(shown), percent(solved), mean(({ turns }) => turns).toFixed(1), String(most), tokens]);
  };
  const turnsOf = new Map(recorded.map(({ sentence, turns }) => [sentence, turns]));
  const played: Attempt[] = [];
  for (const task of tasks) played.push(await playChoices(toolbox, task, turnsOf.get(task.sentence) ?? []));
  add("a large language model", played);
  for (const way of ["everything", "search"] as const) {
    const byWords: Attempt[] = [];
    for (const task of tasks) byWords.push(await solveTask(toolbox, task, way));
    add(`by words: ${way}`, byWords);
  }
  toolbox.close();
  return tableOf(["", "shown", "solved", "turns", "most turns", "tokens"], rows);
}

function rowOf(way: Way): readonly string[] {
  const draws = attempts.get(way) ?? [];
  const byDraw = draws.map((draw) => draw.filter(({ solved }) => solved).length / draw.length);
  const solved = shareOf(way, (attempt) => attempt.solved);
  const all = draws.flat();
  const turns = all.reduce((sum, attempt) => sum + attempt.turns, 0) / all.length;
  const tokens = all.reduce((sum, attempt) => sum + attempt.tokens, 0) / all.length;
  return [
    way,
    percent(shareOf(way, ({ shown }) => shown)),
    percent(solved),
    `${percent(Math.min(...byDraw))} to ${percent(Math.max(...byDraw))}`,
    percent(solved / known),
    turns.toFixed(1),
    percent(shareOf(way, (attempt) => attempt.turns <= 3)),
    Math.round(tokens).toLocaleString("en"),
  ];
}

function shareOf(way: Way, is: (attempt: Attempt) => boolean): number {
  const all = (attempts.get(way) ?? []).flat();
  return all.filter(is).length / Math.max(1, all.length);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
