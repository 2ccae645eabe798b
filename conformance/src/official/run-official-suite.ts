import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSuiteSummary, type ScenarioResult } from "./read-suite-summary.ts";

// Usage: node run-official-suite.js [revision …]
// Runs the pinned official suite against official-client.js and counts the required scenarios that passed. The suite needs Node 22 or
// newer; npm brings one. Exits with 1 unless every required scenario of every revision ran with at least one success and no failure.
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const required = new Map([
  ["2025-11-25", 18],
  ["2026-07-28", 32],
]);

const revisions = process.argv.length > 2 ? process.argv.slice(2) : [...required.keys()];
for (const revision of revisions) {
  const expected = required.get(revision);
  if (expected === undefined)
    throw new TypeError(`no requirement set for ${revision}; there are ${[...required.keys()].join(", ")}`);
  const results = (await runSuite(revision)).filter(({ scored }) => scored);
  const passed = results.filter(isPassed);
  process.stdout.write(`${revision}: ${passed.length} of ${expected} required scenarios passed\n`);
  for (const { scenario, passed: good, failed } of results.filter((result) => !isPassed(result))) {
    process.stdout.write(`  ${scenario}: ${good} checks passed, ${failed} failed\n`);
  }
  if (passed.length !== expected) process.exitCode = 1;
}

function isPassed({ green, passed }: ScenarioResult): boolean {
  return green && passed > 0;
}

async function runSuite(revision: string): Promise<readonly ScenarioResult[]> {
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
    "120000",
    "-o",
    folder,
  ];
  try {
    return readSuiteSummary(await output("npx", ["-y", "-p", "node@24", "-p", suite, "conformance", ...args]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(text));
  });
}
