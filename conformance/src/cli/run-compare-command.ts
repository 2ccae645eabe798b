import { readWith } from "./write-reports.ts";
import { compareRuns } from "../engine/compare-runs.ts";
import type { RunReport } from "../engine/run-report.ts";
import { comparisonMarkdown } from "../report/comparison-report.ts";
import { parseReport } from "../report/parse-report.ts";
import { refuse, type CommandIo } from "./command-io.ts";
import type { Command } from "./command.ts";

type Compare = Extract<Command, { readonly kind: "compare" }>;

/** Runs `compare` and resolves with the exit code. */
export async function runCompareCommand(commandLine: Compare, io: CommandIo): Promise<number> {
  const [before, after] = await Promise.all([readReport(commandLine.before), readReport(commandLine.after)]);
  if (typeof before === "string") return refuse(before, io);
  if (typeof after === "string") return refuse(after, io);
  if (before.side !== after.side) return refuse(`one is of a ${before.side}, the other of a ${after.side}`, io);
  const comparison = compareRuns(before, after, commandLine.strict);
  io.out(comparisonMarkdown({ before, after, comparison }));
  return comparison.exitCode;
}

function readReport(path: string): Promise<RunReport | string> {
  return readWith(path, parseReport, path);
}
