// Prints the tests that failed, a line each, from the runner's own reports: the end of a long log then says what its middle said at length.
// A report that is missing or unreadable is named, too.
import { basename, relative } from "node:path";
import { readReport } from "./read-report.mjs";

for (const path of process.argv.slice(2)) {
  const read = readReport(path);
  if ("problem" in read) {
    console.log(read.problem);
    continue;
  }
  for (const { name, message, assertionResults } of read.report.testResults) {
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
