import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepCoresBusy } from "./keep-cores-busy.ts";
import { readSuiteSummary, type ScenarioResult, type SuitePart } from "./read-suite-summary.ts";
import { startOfficialSuite, type SuiteRun } from "./start-official-suite.ts";

// Usage: node run-official-suite.js [--busy] [revision …] Runs the pinned official suite against
// official-client.js: every scenario that a revision requires, those of the extensions, and those
// that came after the release; with --busy beside an endless loop on each core. Exits with 1 unless
// each of them ran, with at least one success and no failure.
interface Expected {
  /** What has the suite choose the scenarios. */
  readonly choice: readonly string[];
  readonly counts: Readonly<Partial<Record<SuitePart, number>>>;
}

const expected: ReadonlyMap<string, Expected> = new Map([
  // It has no requirement set; what is left of it are two ways to do without metadata.
  ["2025-03-26", { choice: ["--suite", "backcompat"], counts: { required: 2 } }],
  ["2025-11-25", requirementsOf("2025-11-25", 18)],
  ["2026-07-28", requirementsOf("2026-07-28", 32)],
]);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { busy: { type: "boolean" } } });
const revisions = positionals.length > 0 ? positionals : Array.from(expected.keys());
for (const revision of revisions) {
  const wanted = expected.get(revision);
  if (wanted === undefined)
    throw new TypeError(`no scenarios for ${revision}; there are some for ${Array.from(expected.keys()).join(", ")}`);
  const { output, status } = await runSuite(wanted.choice);
  const results = readSuiteSummary(output);
  const counts = Object.entries(wanted.counts).map(([part, count]) => {
    const passed = results.filter((result) => result.part === part && isPassed(result)).length;
    if (passed !== count) process.exitCode = 1;
    return `${passed} of ${count} ${part}`;
  });
  process.stdout.write(`${revision}: scenarios passed: ${counts.join(", ")}\n`);
  for (const { scenario, part, passed, failed } of results.filter((result) => !isPassed(result))) {
    process.stdout.write(`  ${scenario} (${part}): ${passed} checks passed, ${failed} failed\n`);
    process.exitCode = 1;
  }
  if (results.length === 0) process.stdout.write(`  the suite ended ${status} and said:\n${output.slice(-2000)}\n`);
}

function requirementsOf(revision: string, required: number): Expected {
  const counts = { required, extension: 6, "added-after-release": 1 };
  return { choice: ["--requirements", revision], counts };
}

function isPassed({ green, passed }: ScenarioResult): boolean {
  return green && passed > 0;
}

async function runSuite(choice: readonly string[]): Promise<SuiteRun> {
  const client = fileURLToPath(new URL("official-client.js", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "hostside-official-"));
  // The suite starts all scenarios at once; its own 30 s are short for two cores.
  const args = [
    "client",
    "--command",
    `"${process.execPath}" "${client}"`,
    ...choice,
    "--timeout",
    "240000",
    "-o",
    folder,
  ];
  const stop = values.busy === true ? keepCoresBusy() : undefined;
  try {
    return await startOfficialSuite(args);
  } finally {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  }
}
