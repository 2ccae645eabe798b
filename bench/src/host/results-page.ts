import { allBehaviours } from "./behaviours/all-behaviours.ts";
import { growthOf, growthTable } from "./growth/growth-of.ts";
import type { GrowthPoint } from "./growth/measure-growth.ts";
import type { Observation } from "./observe.ts";
import type { Row } from "./run-rounds.ts";
import { stepsTable } from "./steps-table.ts";
import { escapeCell, toTable, whereBehind, type Results } from "./to-table.ts";
import { allWorkloads, speedWorkloads } from "./workloads/all-workloads.ts";
import { neighbourWorkloads } from "./workloads/neighbour-workloads.ts";

/** What is measured for each part of the page. */
export interface Parts {
  readonly speed: Results;
  readonly neighbours: Results;
  /** Of the start of one server. */
  readonly steps: readonly Row[];
  readonly behaviour: readonly Observation[];
  readonly growth: readonly GrowthPoint[];
}

/** The parts, in the order in which they are measured. */
export const partNames = ["speed", "neighbours", "steps", "behaviour", "growth"] as const;

/** Where and how one part was measured. */
export interface Conditions {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  /** Absent where nothing is measured more than once. */
  readonly rounds?: number;
  /** The 5-minute load average at the end. */
  readonly load: number;
}

/** The newest results of each part that was ever measured; parts may be of different runs. */
export type Measured = { readonly [Name in keyof Parts]?: Conditions & { readonly results: Parts[Name] } };

/**
 * Writes the results into the page, between its marks; what was not measured, and the rest of the
 * page, which is written by hand, stays.
 */
export function resultsPage(page: string, measured: Measured): string {
  const { speed, neighbours, steps, behaviour, growth } = measured;
  const behind = whereBehind(allWorkloads, { ...speed?.results, ...neighbours?.results });
  const sections = {
    behind: behind.length === 0 ? "None in this run." : behind.join("\n"),
    speed: speed && under(speed, toTable(speedWorkloads, speed.results)),
    neighbours: neighbours && under(neighbours, toTable(neighbourWorkloads, neighbours.results)),
    steps: steps && under(steps, stepsTable(steps.results)),
    behaviour: behaviour && under(behaviour, behaviourTable(behaviour.results)),
    growth: growth && under(growth, growthTables(growth.results)),
  };
  return Object.entries(sections).reduce(
    (text, [mark, section]) => (section === undefined ? text : replaceBetween(text, mark, section)),
    page,
  );
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

function growthTables(points: readonly GrowthPoint[]): string {
  return (["servers", "tools"] as const)
    .map((of) => `${growthTable(growthOf(points, of), of)}\n\n![Cost by number of ${of}](../images/cost-by-${of}.svg)`)
    .join("\n\n");
}

function under({ date, node, cpu, cores, system, rounds, load }: Conditions, table: string): string {
  const where = `${date}, Node ${node}, ${cores} cores (${cpu}), ${system}`;
  const how = rounds === undefined ? "" : `, ${rounds} ${rounds === 1 ? "round" : "rounds"}`;
  return `${where}${how}; the 5-minute load average at the end was ${load.toFixed(1)}.\n\n${table}`;
}

function replaceBetween(text: string, mark: string, section: string): string {
  const [start, end] = [`<!-- ${mark}: start -->`, `<!-- ${mark}: end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from === -1 || to < from) throw new TypeError(`the page has no ${start} … ${end}`);
  return `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`;
}
