import { kitVersion } from "./kit-version.ts";
import { applyBaseline } from "./baseline.ts";
import { describe, type RunOptions } from "./run-checks.ts";
import { fixOf, type CheckResult, type Check, type Finding } from "./check.ts";
import { exitCodes, type Headline, type RunReport, type Verdict, type Obstacle } from "./run-report.ts";

/** What follows from the results alone. */
export type Judgement = Pick<RunReport, "verdict" | "exitCode" | "counts" | "headlines">;

/** What else decides about a verdict. */
export interface JudgeOptions {
  /** `true`: a failed SHOULD or HOST check fails the run, too. Default `false`: it is advice. */
  readonly strict?: boolean;
  /** Stale baseline entries fail the run. */
  readonly stale?: readonly string[];
  /** Something else that was asked for could not be checked. */
  readonly incomplete?: boolean;
}

/**
 * The verdict over all results. `fail` wins over `incomplete`; a run in which no check passed or
 * failed is `incomplete`, never a pass; so is one in which a MUST could not be checked.
 */
export function judgeRun(
  results: readonly CheckResult[],
  { strict = false, stale = [], incomplete = false }: JudgeOptions = {},
): Judgement {
  const failures = results.filter(({ finding, baselined }) => finding.status === "fail" && baselined === undefined);
  const binding = failures.filter(({ check }) => strict || check.level === "MUST");
  const having = (status: CheckResult["finding"]["status"]): readonly CheckResult[] =>
    results.filter(({ finding }) => finding.status === status);
  const counts = {
    passed: having("pass").length,
    failed: binding.length,
    advice: failures.length - binding.length,
    baselined: results.filter(({ baselined }) => baselined !== undefined).length,
    notApplicable: having("not-applicable").length,
    couldNotRun: having("could-not-run").length,
  };
  const owed = having("could-not-run").some(({ check }) => strict || check.level === "MUST");
  const executed = counts.passed + failures.length + counts.baselined;
  const verdict: Verdict =
    binding.length > 0 || stale.length > 0 ? "fail" : owed || incomplete || executed === 0 ? "incomplete" : "pass";
  return { verdict, exitCode: exitCodes[verdict], counts, headlines: headlinesOf(results, failures) };
}

// One root cause, one headline. What fails the run comes first, then what could not be checked for
// a reason of its own, then advice.
function headlinesOf(results: readonly CheckResult[], failures: readonly CheckResult[]): readonly Headline[] {
  const prevented = new Map<string, string[]>();
  for (const { check, finding } of results) {
    if (finding.status !== "could-not-run" || finding.cause === undefined) continue;
    prevented.set(finding.cause, [...(prevented.get(finding.cause) ?? []), check.id]);
  }
  const ownCauses = results.filter(({ finding }) => finding.status === "could-not-run" && finding.cause === undefined);
  return [...failures, ...ownCauses]
    .toSorted((a, b) => weightOf(a) - weightOf(b))
    .map(({ check, finding }) => ({
      checkId: check.id,
      observed: finding.status === "fail" ? finding.observed : finding.status === "could-not-run" ? finding.reason : "",
      fix: fixOf({ check, finding }),
      prevented: prevented.get(check.id) ?? [],
    }));
}

function weightOf({ check, finding }: CheckResult): number {
  return finding.status === "could-not-run" ? 1 : { MUST: 0, SHOULD: 2, HOST: 3 }[check.level];
}

/** What is known after a run besides the options that it had. */
export interface RunFacts extends Omit<
  RunReport,
  keyof Judgement | "schemaVersion" | "kit" | "startedAt" | "seed" | "strict" | "staleBaseline"
> {
  readonly startedAt: Date;
}

/** The report of a run. */
export function createReport(
  options: RunOptions<unknown>,
  { startedAt, results: found, ...facts }: RunFacts,
): RunReport {
  const { seed = 1, strict = false, baseline = { entries: [] } } = options;
  const { results, stale } = applyBaseline(found, baseline, startedAt.toISOString().slice(0, 10));
  const exitCode = facts.obstacle?.kind === "auth-required" ? exitCodes.authRequired : exitCodes.unreachable;
  return {
    schemaVersion: 1,
    kit: { name: "@hostside/conformance", version: kitVersion() },
    startedAt: startedAt.toISOString(),
    seed,
    strict,
    ...judgeRun(results, { strict, stale, incomplete: facts.unknownTools !== undefined }),
    ...facts,
    ...(facts.obstacle && { verdict: "incomplete", exitCode }),
    results,
    staleBaseline: stale,
  };
}

/** Results for checks of which an obstacle kept all but those that ran. */
export function preventAll(
  checks: readonly Check<never>[],
  { kind, reason }: Obstacle,
  ran: readonly CheckResult[] = [],
): readonly CheckResult[] {
  const finding: Finding = { status: "could-not-run", reason, cause: kind };
  return checks.map(
    (check) => ran.find(({ check: { id } }) => id === check.id) ?? { check: describe(check), finding, durationMs: 0 },
  );
}
