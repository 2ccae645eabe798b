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
import { readOptions } from "./read-options.ts";
import { partNames, resultsPage, type Conditions, type Measured, type Parts } from "./results-page.ts";
import { stepsTable } from "./steps-table.ts";
import { runMeasurement } from "./run-measurement.ts";
import { runRounds, type Row } from "./run-rounds.ts";
import { mergeResults, type Results } from "./to-table.ts";
import { speedWorkloads } from "./workloads/all-workloads.ts";
import { neighbourWorkloads } from "./workloads/neighbour-workloads.ts";
import { startSteps } from "./workloads/start-steps.ts";
import type { Workload } from "./workloads/workload.ts";

const ownIds = ["hostside", "provider", "serve", "sdk-v2", "sdk-v1", "floor-undici", "floor-fetch"];
const peerIds = ["ai-sdk", "mcp-use", "langchain", "mastra", "openai-agents", "mcporter"];

const asked = readOptions(process.argv.slice(2), {
  part: partNames,
  only: {
    speed: idsOf(speedWorkloads),
    neighbours: idsOf(neighbourWorkloads),
    steps: [startSteps.id],
    behaviour: idsOf(allBehaviours),
    growth: ["growth"],
  } satisfies Record<keyof Parts, readonly string[]>,
  of: ownIds,
  peers: peerIds,
});
if (!("options" in asked)) {
  const isMistake = "mistake" in asked;
  (isMistake ? process.stderr : process.stdout).write(isMistake ? asked.mistake : asked.usage);
  process.exit(isMistake ? 2 : 0);
}

// Each part that was measured whole goes into bench/results/host.json, docs/explanation/benchmarks.md and its
// plots at once, and leaves the others as they were. With --only or --of nothing is written, but with --merge.
const { rounds, only, of, merge, ...options } = asked.options;
const node = findNode(options.node);
const own = ownIds.map((id) => adapter(id, `adapters/${id}.js`));
const peers = peerIds.map((id) => adapter(id, `../../peers/${id}.mjs`));
const contenders = [...own, ...(options.peers ? peers : [])].filter(({ id }) => of === undefined || of.includes(id));
const hosts = contenders.filter(({ id }) => !id.startsWith("floor"));
const floor = adapter("floor", "adapters/floor.js");
const root = fileURLToPath(new URL("../../../", import.meta.url));

// A flood is measured in three series each time, and takes long.
const roundsOf = { speed: rounds, neighbours: Math.ceil(rounds / 3), steps: Math.max(rounds, 9) };
const measurePart: { readonly [Name in keyof Parts]: () => Promise<Parts[Name]> } = {
  speed: () => measureRows(speedWorkloads, roundsOf.speed),
  neighbours: () => measureRows(neighbourWorkloads, roundsOf.neighbours),
  steps: measureSteps,
  behaviour: observeAll,
  growth: measureGrowth,
};

const startedAt = performance.now();
for (const name of partsAskedFor()) await measureAndSave(name);
say(`\n${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`);

async function measureAndSave(name: keyof Parts): Promise<void> {
  const results = await measurePart[name]();
  if ((only !== undefined || of !== undefined) && !merge) return;
  const data = `${root}bench/results/host.json`;
  const before = JSON.parse(await readFile(data, "utf8")) as Measured;
  const measured: Measured = { ...before, [name]: { ...conditionsOf(name), results: merged(name, results, before) } };
  await writeFile(data, `${JSON.stringify(measured, null, 2)}\n`);
  const page = `${root}docs/explanation/benchmarks.md`;
  await writeFile(page, resultsPage(await readFile(page, "utf8"), measured));
  if (name === "growth") await plotGrowth(measured.growth?.results ?? []);
}

function merged(name: keyof Parts, results: Parts[keyof Parts], before: Measured): Parts[keyof Parts] {
  const earlier = before[name];
  if (!merge || earlier === undefined) return results;
  if (name !== "speed" && name !== "neighbours") throw new TypeError(`--merge is for rows of speed and neighbours`);
  return mergeResults(results as Results, earlier.results as Results, earlier.date);
}

async function measureRows(workloads: readonly Workload[], count: number): Promise<Results> {
  const results: Record<string, readonly Row[]> = {};
  for (const workload of workloads.filter(({ id }) => isAskedFor(id))) {
    const fits = workload.id.startsWith("http") ? contenders : hosts;
    results[workload.id] = await rowsOf(workload, fits, count);
  }
  return results;
}

async function measureSteps(): Promise<readonly Row[]> {
  if (!isAskedFor(startSteps.id)) return [];
  const rows = await rowsOf(startSteps, [floor, ...hosts], roundsOf.steps);
  say(stepsTable(rows));
  return rows;
}

async function rowsOf(workload: Workload, fits: readonly Adapter[], count: number): Promise<readonly Row[]> {
  say(`\n${workload.title}`);
  const rows = await runRounds(workload, fits, { rounds: count, floor, measure: (one, id) => measure(node, one, id) });
  for (const { name, values, failure = "" } of rows) {
    const numbers = workload.metrics.map(({ name: metric, label }) => `${label} ${values[metric]?.median.toFixed(2)}`);
    say(`  ${name.padEnd(24)} ${Object.keys(values).length > 0 ? numbers.join(", ") : ""} ${failure}`);
  }
  return rows;
}

async function observeAll(): Promise<readonly Observation[]> {
  const observations: Observation[] = [];
  for (const behaviour of allBehaviours.filter(({ id }) => isAskedFor(id))) {
    say(`\n${behaviour.title}`);
    for (const host of hosts) {
      const observation = await observe(node, host, behaviour.id);
      observations.push(observation);
      say(`  ${host.id.padEnd(24)} ${observation.seen}`);
    }
  }
  return observations;
}

async function measureGrowth(): Promise<readonly GrowthPoint[]> {
  if (!isAskedFor("growth")) return [];
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

async function plotGrowth(growth: readonly GrowthPoint[]): Promise<void> {
  const images = `${root}docs/images`;
  await mkdir(images, { recursive: true });
  for (const of of ["servers", "tools"] as const)
    await writeFile(`${images}/cost-by-${of}.svg`, growthPlot(`Cost by number of ${of}`, growthOf(growth, of)));
}

function conditionsOf(name: keyof Parts): Conditions {
  const count = name === "behaviour" || name === "growth" ? {} : { rounds: roundsOf[name] };
  return {
    date: new Date().toISOString().slice(0, 10),
    node: execFileSync(node, ["--version"], { encoding: "utf8" }).trim(),
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    system: `${platform()} ${arch()}`,
    ...count,
    load: loadavg()[1] ?? 0,
  };
}

function partsAskedFor(): readonly (keyof Parts)[] {
  return partNames.filter((name) => options.part === undefined || options.part.includes(name));
}

function adapter(id: string, path: string): Adapter {
  return { id, url: new URL(path, import.meta.url).href };
}

function idsOf(all: readonly { readonly id: string }[]): readonly string[] {
  return all.map(({ id }) => id);
}

function isAskedFor(id: string): boolean {
  return only === undefined || only.includes(id);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
