import { truncateText } from "@hostside/core";
import { parseBaseline } from "../engine/baseline.ts";
import type { Check, CheckInfo, CheckResult } from "../engine/check.ts";
import type { RunOptions } from "../engine/run-checks.ts";
import { exitCodes, type RunReport } from "../engine/run-report.ts";
import { toTerminal } from "../report/terminal-report.ts";
import type { CommandIo } from "./command-io.ts";
import type { OptionValues } from "./command.ts";
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

/** One live line on a terminal; elsewhere a line at the start and one for each failure. */
function showProgress(
  { err, live, columns }: CommandIo,
  { total, target }: { readonly total: number; readonly target: string },
) {
  const running = new Set<string>();
  let done = 0;
  let failed = 0;
  const replaceLine = (text: string): void => err(`\r\u001B[K${text}`);
  const draw = (): void => {
    const parts = [`${done}/${total}`, ...(failed > 0 ? [`${failed} not passed`] : []), Array.from(running).join(" ")];
    replaceLine(truncateText(parts.join("  "), columns - 1));
  };
  if (live) replaceLine(truncateText(`waiting for ${target}`, columns - 1));
  else err(`Checking ${target} (${total} ${total === 1 ? "check" : "checks"})\n`);
  return {
    onStart: ({ id }: CheckInfo): void => {
      running.add(id);
      if (live) draw();
    },
    onResult: ({ check, finding }: CheckResult): void => {
      running.delete(check.id);
      done += 1;
      // Whether it is a headline, advice, or follows from another failure is known at the end.
      const isFailed = finding.status === "fail";
      if (isFailed) failed += 1;
      if (live) draw();
      else if (isFailed) err(`${done}/${total} not passed: ${check.id}\n`);
    },
    end: (): void => {
      if (live) replaceLine("");
    },
  };
}
