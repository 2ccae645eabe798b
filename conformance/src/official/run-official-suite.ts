import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepCoresBusy } from "./keep-cores-busy.ts";
import { readSuiteSummary, type ScenarioResult } from "./read-suite-summary.ts";

// Usage: node run-official-suite.js [--busy] [revision …]
// Runs the pinned official suite against official-client.js and counts the required scenarios that passed; with --busy beside an endless
// loop on each core. The suite needs Node 22 or newer; npm brings one. Exits with 1 unless every required scenario of every revision ran
// with at least one success and no failure.
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const required = new Map([
  ["2025-11-25", 18],
  ["2026-07-28", 32],
]);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { busy: { type: "boolean" } } });
const revisions = positionals.length > 0 ? positionals : [...required.keys()];
for (const revision of revisions) {
  const expected = required.get(revision);
  if (expected === undefined)
    throw new TypeError(`no requirement set for ${revision}; there are ${[...required.keys()].join(", ")}`);
  const { output, status } = await runSuite(revision);
  const results = readSuiteSummary(output).filter(({ scored }) => scored);
  const passed = results.filter(isPassed);
  process.stdout.write(`${revision}: ${passed.length} of ${expected} required scenarios passed\n`);
  for (const { scenario, passed: good, failed } of results.filter((result) => !isPassed(result))) {
    process.stdout.write(`  ${scenario}: ${good} checks passed, ${failed} failed\n`);
  }
  if (results.length === 0) process.stdout.write(`  the suite ended ${status} and said:\n${output.slice(-2000)}\n`);
  if (passed.length !== expected) process.exitCode = 1;
}

function isPassed({ green, passed }: ScenarioResult): boolean {
  return green && passed > 0;
}

async function runSuite(revision: string): Promise<SuiteRun> {
  const client = fileURLToPath(new URL("official-client.js", import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "toolport-official-"));
  // The suite starts all scenarios at once; its own 30 s are short for two cores.
  const args = [
    "client",
    "--command",
    `"${process.execPath}" "${client}"`,
    "--requirements",
    revision,
    "--timeout",
    "240000",
    "-o",
    folder,
  ];
  const stop = values.busy === true ? keepCoresBusy() : undefined;
  try {
    return await run("npx", ["-y", "-p", "node@24", "-p", suite, "conformance", ...args]);
  } finally {
    await stop?.();
    await rm(folder, { recursive: true, force: true });
  }
}

interface SuiteRun {
  readonly output: string;
  readonly status: string;
}

function run(command: string, args: readonly string[]): Promise<SuiteRun> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (complaints = (complaints + chunk).slice(-2000)));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const summary = output.includes("=== SUITE SUMMARY ===");
      resolve({ output: summary ? output : `${output}${complaints}`, status: signal ?? `with code ${code}` });
    });
  });
}
