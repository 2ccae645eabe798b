import { outcomeOf, type Outcome } from "../report/outcome.ts";
import { fixOf, type CheckResult } from "./check.ts";
import { exitCodes, type RunReport } from "./run-report.ts";

/** A check that came out differently. */
export interface OutcomeChange {
  readonly checkId: string;
  readonly title: string;
  readonly level: CheckResult["check"]["level"];
  readonly before: Outcome;
  readonly after: Outcome;
  /** What was seen, or why nothing was. */
  readonly evidence: string;
  readonly fix: string;
}

/** What became of a server or a host from one run to another. */
export interface RunComparison {
  /** Failures and advice that were not there, and what was checked and cannot be any more. */
  readonly worse: readonly OutcomeChange[];
  /** What no longer fails, and what could not be checked and passes now. */
  readonly better: readonly OutcomeChange[];
  /** Neither: a check that applies now, or applies no longer, or is accepted. */
  readonly other: readonly OutcomeChange[];
  /** Failures of both runs, advice included. */
  readonly remaining: readonly string[];
  /** Checks that the second run left out. */
  readonly missing: readonly string[];
  /**
   * Checks that the first run did not have, such as those of a newer kit, with how they came out.
   */
  readonly added: readonly OutcomeChange[];
  readonly exitCode: number;
}

/**
 * Compares two runs check by check. `exitCode` is 1 when a check fails that did not, or a `MUST`
 * cannot be judged any more, or nothing could be tested; with `strict` also for new advice; 3 when
 * the second run left out checks of the first; else 0, whatever failed before already. What a newer
 * kit checks besides fails nothing.
 */
export function compareRuns(before: RunReport, after: RunReport, strict = false): RunComparison {
  const known = new Map(before.results.map((result) => [result.check.id, result]));
  const seen = new Set(after.results.map(({ check }) => check.id));
  const changes = after.results.flatMap((result) => {
    const earlier = known.get(result.check.id);
    return earlier === undefined ? [] : [changeOf(result, outcomeOf(earlier))];
  });
  const differing = changes.filter((change) => change.before !== change.after);
  const worse = differing.filter(isWorse);
  const better = differing.filter(isBetter);
  const missing = before.results.map(({ check }) => check.id).filter((id) => !seen.has(id));
  const isFailing = after.obstacle !== undefined || worse.some((change) => failsRun(change, strict));
  return {
    worse,
    better,
    other: differing.filter((change) => !isWorse(change) && !isBetter(change)),
    remaining: changes
      .filter((change) => isFailure(change.before) && isFailure(change.after))
      .map(({ checkId }) => checkId),
    missing: after.obstacle === undefined ? missing : [],
    added: after.results
      .filter(({ check }) => !known.has(check.id))
      .map((result) => changeOf(result, "not-applicable")),
    exitCode: isFailing ? exitCodes.fail : missing.length > 0 ? exitCodes.incomplete : exitCodes.pass,
  };
}

function changeOf(result: CheckResult, before: Outcome): OutcomeChange {
  const { check, finding } = result;
  const { id: checkId, title, level } = check;
  const evidence = "reason" in finding ? finding.reason : (finding.observed ?? "");
  return { checkId, title, level, before, after: outcomeOf(result), evidence, fix: fixOf(result) };
}

function isFailure(outcome: Outcome): boolean {
  return outcome === "fail" || outcome === "advice";
}

function isWorse({ before, after }: OutcomeChange): boolean {
  return isFailure(after) || (after === "could-not-run" && before !== "not-applicable");
}

function isBetter({ before, after }: OutcomeChange): boolean {
  return after === "pass" && (isFailure(before) || before === "could-not-run");
}

function failsRun({ level, after }: OutcomeChange, strict: boolean): boolean {
  return strict || after === "fail" || (after === "could-not-run" && level === "MUST");
}
