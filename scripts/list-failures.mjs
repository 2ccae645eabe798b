// Prints the tests that failed, a line each, from the runner's own reports: the end of a long log then says what its middle said at length.
import { basename, relative } from "node:path";
import { readJson } from "./workspace.mjs";

for (const path of process.argv.slice(2)) {
  /** @type {import("vitest/reporters").JsonTestResults} */
  const report = readJson(path);
  for (const { name, message, assertionResults } of report.testResults) {
    const file = `${basename(path)}: ${relative(process.cwd(), name)}`;
    const failed = assertionResults.filter(({ status }) => status === "failed");
    if (failed.length === 0 && message) console.log(`${file} did not load: ${firstLine(message)}`);
    for (const { fullName, failureMessages } of failed)
      console.log(`${file} > ${fullName}: ${firstLine(failureMessages?.[0] ?? "no message")}`);
  }
}

/** @param {string} text */
function firstLine(text) {
  return text.split("\n", 1)[0]?.slice(0, 300);
}
