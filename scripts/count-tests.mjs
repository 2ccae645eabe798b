// Prints the runner's own counts as the last line of a CI run: `tests: N passed, N failed, N skipped`, added up over the reports that
// are named. A missing or unreadable report is a failure, and so is one that says it did not succeed. A test file that could not even
// load counts as one failed test.
import { readReport } from "./read-report.mjs";

const paths = process.argv.length > 2 ? process.argv.slice(2) : [".ci/report.json"];
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const path of paths) addReport(path);
console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
if (counts.failed > 0) process.exitCode = 1;

/** @param {string} path */
function addReport(path) {
  const read = readReport(path);
  if ("problem" in read) {
    console.error(read.problem);
    counts.failed += 1;
    return;
  }
  const { report } = read;
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failed = report.numFailedTests + unloaded.length;
  counts.passed += report.numPassedTests;
  counts.failed += failed;
  counts.skipped += report.numPendingTests + report.numTodoTests;
  if ((!report.success && failed === 0) || report.numPassedTests === 0) {
    console.error(`the report at ${path} says that the run did not succeed`);
    process.exitCode = 1;
  }
}
