import { writeWholeFile, readWith } from "./write-reports.ts";
import { compareRuns } from "../engine/compare-runs.ts";
import type { RunReport } from "../engine/run-report.ts";
import { comparisonMarkdown, comparisonText } from "../report/comparison-report.ts";
import { parseReport } from "../report/parse-report.ts";
import { refuse, messageOf, type CommandIo } from "./command-io.ts";
import type { CompareCommandLine } from "./command.ts";

/** Runs `compare` and resolves with the exit code. */
export async function runCompareCommand(commandLine: CompareCommandLine, io: CommandIo): Promise<number> {
  const { strict, markdown } = commandLine;
  const [before, after] = await Promise.all([readReport(commandLine.before), readReport(commandLine.after)]);
  if (typeof before === "string") return refuse(before, io);
  if (typeof after === "string") return refuse(after, io);
  if (before.side !== after.side) return refuse(`one is of a ${before.side}, the other of a ${after.side}`, io);
  const runs = { before, after, comparison: compareRuns(before, after, strict) };
  io.out(comparisonText(runs, io.style));
  try {
    if (markdown !== undefined) await writeWholeFile(markdown, comparisonMarkdown(runs));
  } catch (error) {
    return refuse(`--markdown: ${messageOf(error)}`, io);
  }
  return runs.comparison.exitCode;
}

function readReport(path: string): Promise<RunReport | string> {
  return readWith(path, parseReport, path);
}
