import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { startOfficialSuite } from "../src/official/start-official-suite.ts";

const client = fileURLToPath(new URL("../dist/official/official-client.js", import.meta.url));
const isBusy = process.env["HOSTSIDE_BUSY"] === "1";

/** Scenarios of a revision by why they are there. Only `required` ones are scored by the suite. */
const besides = { extension: 6, "added-after-release": 1 };
const expected: readonly (readonly [string, readonly string[], Readonly<Record<string, number>>])[] = [
  // It has no requirement set; what is left of it are two ways to do without metadata.
  ["2025-03-26", ["--suite", "backcompat"], { required: 2 }],
  ["2025-11-25", ["--requirements", "2025-11-25"], { required: 18, ...besides }],
  ["2026-07-28", ["--requirements", "2026-07-28"], { required: 32, ...besides }],
];

/**
 * Runs an endless loop on each core, so that the suite is as slow as on a machine that many share.
 * The loops are threads of this process: they cannot outlive it.
 */
async function besideBusyCores<T>(work: () => Promise<T>): Promise<T> {
  const loops = Array.from({ length: isBusy ? availableParallelism() : 0 }, () => {
    return new Worker("for (;;);", { eval: true });
  });
  try {
    return await work();
  } finally {
    await Promise.all(loops.map((loop) => loop.terminate()));
  }
}

async function runClientScenarios(choice: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hostside-official-"));
  // The suite starts all scenarios at once; its own 30 s are short for two cores.
  const options = ["--command", `"${process.execPath}" "${client}"`, ...choice, "--timeout", "240000", "-o", folder];
  try {
    const { output, status } = await startOfficialSuite(["client", ...options]);
    expect(output, `the suite ended ${status}`).toContain("=== SUITE SUMMARY ===");
    return output.slice(output.lastIndexOf("=== SUITE SUMMARY ==="));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe(`the official suite, against Hostside as a client${isBusy ? ", while all cores are busy" : ""}`, () => {
  it.each(expected)("%s", { timeout: 900_000 }, async (_revision, choice, counts) => {
    const summary = await besideBusyCores(() => runClientScenarios(choice));
    const reasons = new Map(Array.from(summary.matchAll(/^\s+[✗✓] (\S+) \(([a-z-]+)\)/gm), ([, id, why]) => [id, why]));
    const passed: Record<string, number> = {};
    const failed: string[] = [];
    for (const [line, mark, id, successes] of summary.matchAll(/^([✗✓]) (\S+): (\d+) passed, \d+ failed/gm)) {
      const reason = reasons.get(id) ?? "required";
      // Some scenarios are green when the client never connected: each must have had one success.
      if (mark === "✓" && Number(successes) > 0) passed[reason] = (passed[reason] ?? 0) + 1;
      else failed.push(`${line} (${reason})`);
    }
    expect(failed).toEqual([]);
    expect(passed).toEqual(counts);
  });
});
