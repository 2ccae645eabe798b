import { readFile } from "node:fs/promises";
import { compareRuns } from "../engine/compare-runs.ts";
import { exitCodes, type RunReport } from "../engine/run-report.ts";
import { comparisonMarkdown, comparisonText } from "../report/comparison-report.ts";
import { parseReport } from "../report/parse-report.ts";
import type { CommandIo } from "./command-io.ts";
import type { CompareCommandLine } from "./command.ts";
import { messageOf } from "./message-of.ts";
import { writeWholeFile } from "./write-whole-file.ts";

/** Runs `compare` and resolves with the exit code. */
export async function runCompareCommand(commandLine: CompareCommandLine, io: CommandIo): Promise<number> {
  const { strict, markdown } = commandLine;
  const [before, after] = await Promise.all([readReport(commandLine.before), readReport(commandLine.after)]);
  if (typeof before === "string") return say(before, io);
  if (typeof after === "string") return say(after, io);
  if (before.side !== after.side) return say(`one is of a ${before.side}, the other of a ${after.side}`, io);
  const runs = { before, after, comparison: compareRuns(before, after, strict) };
  io.out(comparisonText(runs, io.style));
  try {
    if (markdown !== undefined) await writeWholeFile(markdown, comparisonMarkdown(runs));
  } catch (error) {
    return say(`--markdown: ${messageOf(error)}`, io);
  }
  return runs.comparison.exitCode;
}

async function readReport(path: string): Promise<RunReport | string> {
  try {
    return parseReport(await readFile(path, "utf8"));
  } catch (error) {
    return `${path}: ${messageOf(error)}`;
  }
}

function say(text: string, { err }: CommandIo): number {
  err(`${text}\n`);
  return exitCodes.usage;
}
