import { readFile } from "node:fs/promises";
import { parseBaseline, type Baseline } from "../engine/baseline.ts";
import { exitCodes } from "../engine/run-report.ts";
import { toTerminal } from "../report/terminal-report.ts";
import { checkServer, type CheckServerOptions } from "../server/check-server.ts";
import { serverChecks } from "../server/checks/server-checks.ts";
import { describeAddress } from "../server/server-address.ts";
import type { CommandIo } from "./command-io.ts";
import type { ServerCommandLine } from "./command.ts";
import { showProgress } from "./progress.ts";
import { readConsent } from "./read-consent.ts";
import { readTarget } from "./read-target.ts";
import { selectChecks } from "./select-checks.ts";
import { signInToTarget, thenSignOut } from "./sign-in-to-target.ts";
import { reportMistake, writeReports } from "./write-reports.ts";

/** Runs the `server` command and resolves with the exit code. */
export async function runServerCommand(commandLine: ServerCommandLine, io: CommandIo): Promise<number> {
  const options = await readOptions(commandLine, io);
  if (typeof options === "string") {
    io.err(`${options}\n`);
    return exitCodes.usage;
  }
  const { checks, address } = options;
  const progress = showProgress(io, { total: checks.length, target: describeAddress(address), strict: options.strict });
  const { onStart, onResult } = progress;
  const report = await thenSignOut(
    address,
    checkServer({ ...options, signal: io.signal, onStart, onResult, today: io.now }),
  );
  progress.end();
  if (io.signal.aborted) io.err("The run was stopped.\n");
  io.out(toTerminal(report, io.style));
  const problems = await writeReports(report, commandLine.reports);
  for (const problem of problems) io.err(`${problem}\n`);
  return problems.length > 0 ? exitCodes.usage : report.exitCode;
}

type Options = CheckServerOptions & Required<Pick<CheckServerOptions, "checks" | "consent">>;

async function readOptions(commandLine: ServerCommandLine, { signal }: CommandIo): Promise<Options | string> {
  const { target, calls, allowCalls, seed, strict, preview, reports } = commandLine;
  const selection = selectChecks(serverChecks, commandLine);
  if (!selection.ok) return selection.mistake;
  const consent = readConsent(calls, allowCalls);
  if (typeof consent === "string") return consent;
  const baseline = await readBaseline(commandLine.baseline);
  if (typeof baseline === "string") return baseline;
  const unwritable = await reportMistake(reports);
  if (unwritable !== undefined) return unwritable;
  const read = await readTarget(target);
  const reached = read.ok ? await signInToTarget(read.address, target, { signal }) : read;
  if (!reached.ok) return reached.mistake;
  return {
    address: reached.address,
    checks: selection.checks,
    consent,
    baseline,
    strict,
    preview,
    seed: seed ?? newSeed(),
    ...(target.startMs !== undefined && { startMs: target.startMs }),
  };
}

async function readBaseline(path: string | undefined): Promise<Baseline | string> {
  if (path === undefined) return { entries: [] };
  try {
    return parseBaseline(await readFile(path, "utf8"), new Set(serverChecks.map(({ id }) => id)));
  } catch (error) {
    return `--baseline ${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
