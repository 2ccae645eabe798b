import { mkdir, writeFile } from "node:fs/promises";
import { arch, cpus, platform } from "node:os";
import { fileURLToPath } from "node:url";
import { measure, type Adapter } from "./measure.ts";
import { runRounds, type Row } from "./run-rounds.ts";
import { toTable } from "./to-table.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";

// Usage: node main.js [--rounds N] [--only workload,…] [--peers]
// Writes docs/benchmark-results.md and bench/results/host.json.
const options = process.argv.slice(2);
const rounds = Number(valueOf("--rounds") ?? 3);
const only = valueOf("--only")?.split(",");
const adapter = (id: string): Adapter => ({ id, url: new URL(`adapters/${id}.js`, import.meta.url).href });
const contenders = ["toolport", "sdk-v2", "sdk-v1", "floor-fetch"].map(adapter);
const floor = adapter("floor");

const results = new Map<string, readonly Row[]>();
for (const workload of allWorkloads) {
  if (only && !only.includes(workload.id)) continue;
  say(`\n${workload.title}`);
  const fits = contenders.filter(({ id }) => id !== "floor-fetch" || workload.id.startsWith("http"));
  const rows = await runRounds(workload, fits, { rounds, floor, measure });
  results.set(workload.id, rows);
  for (const { name, values, failure } of rows) {
    const numbers = workload.metrics.map(
      ({ name: metric, label }) => `${label} ${values.get(metric)?.median.toFixed(2)}`,
    );
    say(`  ${name.padEnd(16)} ${failure ?? numbers.join(", ")}`);
  }
}
if (!only) await save();

async function save(): Promise<void> {
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    system: `${platform()} ${arch()}`,
    date: new Date().toISOString().slice(0, 10),
  };
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  await mkdir(`${root}bench/results`, { recursive: true });
  const rows = Object.fromEntries(
    Array.from(results, ([id, ofWorkload]) => [
      id,
      ofWorkload.map((row) => ({ ...row, values: Object.fromEntries(row.values) })),
    ]),
  );
  await writeFile(`${root}bench/results/host.json`, `${JSON.stringify({ machine, rounds, rows }, null, 2)}\n`);
  await writeFile(`${root}docs/benchmark-results.md`, toTable({ machine, rounds, workloads: allWorkloads, results }));
}

function valueOf(option: string): string | undefined {
  const at = options.indexOf(option);
  return at === -1 ? undefined : options[at + 1];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
