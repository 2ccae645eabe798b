import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { arch, cpus, loadavg, platform } from "node:os";
import { fileURLToPath } from "node:url";
import { allBehaviours } from "./behaviours/all-behaviours.ts";
import { findNode } from "./find-node.ts";
import type { GrowthPoint } from "./growth/measure-growth.ts";
import { growthOf, growthTable } from "./growth/growth-of.ts";
import { growthPlot } from "./growth/growth-plot.ts";
import { measure, type Adapter } from "./measure.ts";
import { observe, type Observation } from "./observe.ts";
import { resultsPage } from "./results-page.ts";
import { stepsTable } from "./steps-table.ts";
import { runMeasurement } from "./run-measurement.ts";
import { runRounds, type Row } from "./run-rounds.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";
import { startSteps } from "./workloads/start-steps.ts";
import type { Workload } from "./workloads/workload.ts";

// Usage: node main.js [--rounds N] [--node MAJOR] [--peers] [--only workload,behaviour,growth] [--of contender,contender]
// Writes docs/benchmark.md, its plots and bench/results/host.json, unless only a part was asked for.
const options = process.argv.slice(2);
const rounds = Number(valueOf("--rounds") ?? 3);
const only = valueOf("--only")?.split(",");
const node = findNode(valueOf("--node"));
const own = ["toolport", "sdk-v2", "sdk-v1", "floor-fetch"].map((id) => adapter(id, `adapters/${id}.js`));
const peers = ["ai-sdk", "mcp-use", "langchain", "mastra", "openai-agents", "mcporter"].map((id) =>
  adapter(id, `../../peers/${id}.mjs`),
);
const asked = valueOf("--of")?.split(",");
const contenders = [...own, ...(options.includes("--peers") ? peers : [])].filter(
  ({ id }) => asked === undefined || asked.includes(id),
);
const floor = adapter("floor", "adapters/floor.js");
const startedAt = performance.now();

const results = new Map<string, readonly Row[]>();
for (const workload of allWorkloads) {
  if (!isAskedFor(workload.id)) continue;
  const fits = contenders.filter(({ id }) => id !== "floor-fetch" || workload.id.startsWith("http"));
  results.set(workload.id, await rowsOf(workload, fits));
}

const steps = isAskedFor(startSteps.id)
  ? await rowsOf(startSteps, [floor, ...contenders.filter(({ id }) => id !== "floor-fetch")], Math.max(rounds, 9))
  : [];
if (steps.length > 0) say(stepsTable(steps));

const observations: Observation[] = [];
for (const behaviour of allBehaviours) {
  if (!isAskedFor(behaviour.id)) continue;
  say(`\n${behaviour.title}`);
  for (const contender of contenders.filter(({ id }) => id !== "floor-fetch")) {
    const observation = await observe(node, contender, behaviour.id);
    observations.push(observation);
    say(`  ${contender.id.padEnd(24)} ${observation.seen}`);
  }
}

const growth = isAskedFor("growth") ? await measureGrowth() : [];
if (only === undefined && asked === undefined) await save();
say(`\n${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);

async function rowsOf(workload: Workload, fits: readonly Adapter[], count = rounds): Promise<readonly Row[]> {
  say(`\n${workload.title}`);
  const rows = await runRounds(workload, fits, { rounds: count, floor, measure: (one, id) => measure(node, one, id) });
  for (const { name, values, failure = "" } of rows) {
    const numbers = workload.metrics.map(
      ({ name: metric, label }) => `${label} ${values.get(metric)?.median.toFixed(2)}`,
    );
    say(`  ${name.padEnd(24)} ${values.size > 0 ? numbers.join(", ") : ""} ${failure}`);
  }
  return rows;
}

async function measureGrowth(): Promise<readonly GrowthPoint[]> {
  say("\nHow cost grows");
  const run = await runMeasurement<readonly GrowthPoint[]>({
    node,
    file: "run-growth.js",
    args: [],
    patienceMs: 240_000,
  });
  if (!run.ok) throw new Error(`the measurement of growth failed: ${run.reason}`);
  for (const of of ["servers", "tools"] as const) say(growthTable(growthOf(run.value, of), of));
  return run.value;
}

async function save(): Promise<void> {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const machine = {
    node: execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    system: `${platform()} ${arch()}`,
    date: new Date().toISOString().slice(0, 10),
    load: loadavg()[1] ?? 0,
  };
  const rows = Object.fromEntries(
    Array.from([...results, [startSteps.id, steps] as const], ([id, ofWorkload]) => [
      id,
      ofWorkload.map((row) => ({ ...row, values: Object.fromEntries(row.values) })),
    ]),
  );
  await mkdir(`${root}bench/results`, { recursive: true });
  await mkdir(`${root}docs/images`, { recursive: true });
  const page = `${root}docs/benchmark.md`;
  const text = resultsPage(await readFile(page, "utf8"), { machine, rounds, results, steps, observations, growth });
  await writeFile(page, text);
  for (const of of ["servers", "tools"] as const)
    await writeFile(
      `${root}docs/images/cost-by-${of}.svg`,
      growthPlot(`Cost by number of ${of}`, growthOf(growth, of)),
    );
  const data = { machine, rounds, rows, observations, growth };
  await writeFile(`${root}bench/results/host.json`, `${JSON.stringify(data, null, 2)}\n`);
}

function adapter(id: string, path: string): Adapter {
  return { id, url: new URL(path, import.meta.url).href };
}

function isAskedFor(id: string): boolean {
  return only === undefined || only.includes(id);
}

function valueOf(option: string): string | undefined {
  const at = options.indexOf(option);
  return at === -1 ? undefined : options[at + 1];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
