// Reads a JSON report of the test runner. A run that was killed leaves none, or half of one.
import { existsSync } from "node:fs";
import { readJson } from "./workspace.mjs";

/**
 * Reads a report, or says why it cannot be read.
 * @param {string} path
 * @returns {{ report: import("vitest/reporters").JsonTestResults } | { problem: string }}
 */
export function readReport(path) {
  if (!existsSync(path)) return { problem: `no report at ${path}: the tests did not run to their end` };
  try {
    return { report: readJson(path) };
  } catch (error) {
    return {
      problem: `the report at ${path} is not readable: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
