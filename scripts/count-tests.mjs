// Prints the runner's own counts as the last line of a CI run: `tests: N passed, N failed, N skipped`. A missing or unreadable report
// is a failure, and so is one that says it did not succeed. A test file that could not even load counts as one failed test.
import { existsSync } from "node:fs";
import { readJson } from "./workspace.mjs";

const path = process.argv[2] ?? ".ci/report.json";
/** @type {import("vitest/reporters").JsonTestResults | undefined} */
const report = existsSync(path) ? readJson(path) : undefined;
if (report === undefined) {
  console.error(`no report at ${path}: the tests did not run to their end`);
  console.log("tests: 0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
} else {
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failed = report.numFailedTests + unloaded.length;
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(`tests: ${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = report.success && failed === 0 && report.numPassedTests > 0 ? 0 : 1;
}
