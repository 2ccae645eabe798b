import { readFile } from "node:fs/promises";
import type { CommandIo } from "../cli/command-io.ts";
import type { HostCommandLine } from "../cli/command.ts";
import { showProgress } from "../cli/progress.ts";
import { selectChecks } from "../cli/select-checks.ts";
import { reportMistake, writeReports } from "../cli/write-reports.ts";
import { parseBaseline, type Baseline } from "../engine/baseline.ts";
import { exitCodes } from "../engine/run-report.ts";
import { toTerminal } from "../report/terminal-report.ts";
import { checkHost, type CheckHostOptions } from "./check-host.ts";
import { checksUpTo, hostChecks } from "./host-checks.ts";
import { hostLevels } from "./host-scenario.ts";
import { spawnDriver } from "./spawn-driver.ts";

/** Runs the `host` command and resolves with the exit code. */
export async function runHostCommand(commandLine: HostCommandLine, io: CommandIo): Promise<number> {
  const options = await readOptions(commandLine);
  if (typeof options === "string") {
    io.err(`${options}\n`);
    return exitCodes.usage;
  }
  const { onStart, onResult, end } = showProgress(io, {
    total: options.checks.length,
    target: options.name,
    strict: options.strict,
  });
  const report = await checkHost({ ...options, signal: io.signal, onStart, onResult, today: io.now });
  end();
  io.out(toTerminal(report, io.style));
  const problems = await writeReports(report, commandLine.reports);
  for (const problem of problems) io.err(`${problem}\n`);
  return problems.length > 0 ? exitCodes.usage : report.exitCode;
}

type Options = CheckHostOptions & Required<Pick<CheckHostOptions, "checks">>;

async function readOptions(commandLine: HostCommandLine): Promise<Options | string> {
  const { driver, level = "hostile", seed, strict } = commandLine;
  const known = hostLevels.find((each) => each === level);
  if (known === undefined) return `--level must be one of ${hostLevels.join(", ")}, not ${JSON.stringify(level)}`;
  const selection = selectChecks(checksUpTo(known), commandLine);
  if (!selection.ok) return selection.mistake;
  const baseline = await readBaseline(commandLine.baseline);
  if (typeof baseline === "string") return baseline;
  const unwritable = await reportMistake(commandLine.reports);
  if (unwritable !== undefined) return unwritable;
  return {
    start: () => spawnDriver(driver),
    name: driver.join(" "),
    checks: selection.checks,
    baseline,
    strict,
    seed: seed ?? Math.floor(Math.random() * 2 ** 31),
  };
}

async function readBaseline(path: string | undefined): Promise<Baseline | string> {
  if (path === undefined) return { entries: [] };
  try {
    return parseBaseline(await readFile(path, "utf8"), new Set(hostChecks.map(({ id }) => id)));
  } catch (error) {
    return `--baseline ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
