import { allBehaviours } from "./behaviours/all-behaviours.ts";
import { growthOf, growthTable } from "./growth/growth-of.ts";
import type { GrowthPoint } from "./growth/measure-growth.ts";
import type { Observation } from "./observe.ts";
import type { Row } from "./run-rounds.ts";
import { stepsTable } from "./steps-table.ts";
import { escapeCell, toTable, whereBehind, type Results } from "./to-table.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";

/** Everything that one run found out. */
export interface RunResults {
  readonly machine: Readonly<Record<string, string | number>>;
  readonly rounds: number;
  readonly results: Results;
  /** Of the start of one server. */
  readonly steps: readonly Row[];
  readonly observations: readonly Observation[];
  readonly growth: readonly GrowthPoint[];
}

/** Writes the results into the page, between its marks; the rest of the page is written by hand. */
export function resultsPage(page: string, run: RunResults): string {
  const { results, steps, observations, growth, machine, rounds } = run;
  const behind = whereBehind(allWorkloads, results);
  const sections = {
    behind: behind.length === 0 ? "None in this run." : behind.join("\n"),
    machine: machineText(machine, rounds),
    speed: toTable(allWorkloads, results),
    steps: stepsTable(steps),
    behaviour: behaviourTable(observations),
    growth: (["servers", "tools"] as const)
      .map((of) => `${growthTable(growthOf(growth, of), of)}\n\n![Cost by number of ${of}](images/cost-by-${of}.svg)`)
      .join("\n\n"),
  };
  return Object.entries(sections).reduce((text, [mark, section]) => replaceBetween(text, mark, section), page);
}

/** A row for each contender, because what they do takes words. */
export function behaviourTable(observations: readonly Observation[]): string {
  const ids = [...new Set(observations.map(({ adapter }) => adapter))];
  const columns = allBehaviours.filter(({ id }) => observations.some(({ behaviour }) => behaviour === id));
  const rows = ids.map((id) => {
    const own = observations.filter(({ adapter }) => adapter === id);
    const cells = columns.map((column) => escapeCell(own.find(({ behaviour }) => behaviour === column.id)?.seen ?? ""));
    return `| ${own[0]?.name ?? id} | ${cells.join(" | ")} |`;
  });
  return [
    `| | ${columns.map(({ title }) => title).join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...rows,
  ].join("\n");
}

function machineText({ node, cpu, cores, system, date, load }: RunResults["machine"], rounds: number): string {
  return `${date}, Node ${node}, ${cores} cores (${cpu}), ${system}, ${rounds} rounds; the 5-minute load average at the end was ${Number(load).toFixed(1)}.`;
}

function replaceBetween(text: string, mark: string, section: string): string {
  const [start, end] = [`<!-- ${mark}: start -->`, `<!-- ${mark}: end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from === -1 || to < from) throw new TypeError(`the page has no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`;
}
