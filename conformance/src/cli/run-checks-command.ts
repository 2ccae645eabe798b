import { parseBaseline } from "../engine/baseline.ts";
import type { Check } from "../engine/check.ts";
import type { RunOptions } from "../engine/run-checks.ts";
import { exitCodes, type RunReport } from "../engine/run-report.ts";
import { toTerminal } from "../report/terminal-report.ts";
import type { CommandIo } from "./command-io.ts";
import type { OptionValues } from "./command.ts";
import { showProgress } from "./progress.ts";
import { selectChecks } from "./select-checks.ts";
import { readWith, reportMistake, writeReports } from "./write-reports.ts";

/** What a command line says of a run of checks. */
export type PreparedRun<Target> = Required<Pick<RunOptions<Check<Target>>, "checks" | "baseline" | "strict" | "seed">>;

/** Reads what a command line says of a run. `all`: ids that a baseline may name. A text is a mistake. */
export async function prepareRun<Target>(
  checks: readonly Check<Target>[],
  values: OptionValues,
  all: readonly Check<Target>[] = checks,
): Promise<PreparedRun<Target> | string> {
  const { strict = false, seed = Math.floor(Math.random() * 2 ** 31), baseline: path } = values;
  const selection = selectChecks(checks, values);
  if (typeof selection === "string") return selection;
  const ids = new Set(all.map(({ id }) => id));
  const baseline =
    path === undefined
      ? { entries: [] }
      : await readWith(path, (json) => parseBaseline(json, ids), `--baseline ${path}`);
  if (typeof baseline === "string") return baseline;
  return (await reportMistake(values)) ?? { checks: selection, baseline, strict, seed: Number(seed) };
}

/** Runs checks, with progress and reports, and resolves with the exit code. */
export async function runAndReport(
  run: (watch: Pick<RunOptions<unknown>, "signal" | "onStart" | "onResult" | "today">) => Promise<RunReport>,
  { target, checks }: { readonly target: string } & Pick<PreparedRun<never>, "checks">,
  { values, io }: { readonly values: OptionValues; readonly io: CommandIo },
): Promise<number> {
  const { onStart, onResult, end } = showProgress(io, { total: checks.length, target });
  const report = await run({ signal: io.signal, onStart, onResult, today: io.now });
  end();
  if (io.signal.aborted) io.err("The run was stopped.\n");
  io.out(toTerminal(report, io.style));
  const problems = await writeReports(report, values);
  for (const problem of problems) io.err(`${problem}\n`);
  return problems.length > 0 ? exitCodes.usage : report.exitCode;
}
