import type { TraceEvent } from "./trace.ts";

/**
 * How binding a check is: `MUST` and `SHOULD` are the specification's own words; `HOST` is advice
 * that stands on what real hosts do. Only a failed `MUST` fails a run, unless the run is strict.
 */
export type Level = "MUST" | "SHOULD" | "HOST";

/** What a check stands on. */
export interface Requirement {
  /** The rule, in one sentence of ours. */
  readonly sentence: string;
  /**
   * Where it is written: a section of the specification, or the page of these docs that gives the
   * reason.
   */
  readonly section: string;
  readonly url: string;
  /** Protocol revisions it applies to; absent: all. */
  readonly revisions?: readonly string[];
}

/** A check as data: what `--list` and `--explain` show, and what the published registry holds. */
export interface CheckInfo {
  /**
   * Stable for ever: `<area>/<what-is-checked>`, such as `stdio/stdout-purity`. The same id for
   * pass and fail.
   */
  readonly id: string;
  /** The behaviour that is right, as a short sentence. */
  readonly title: string;
  readonly level: Level;
  readonly requirement: Requirement;
  /** Every answer that passes, in words. */
  readonly legal: readonly string[];
  /** What an author does about a failure. */
  readonly fix: string;
}

/** What one check found. */
export type Finding =
  | { readonly status: "pass"; readonly observed?: string; readonly trace?: readonly TraceEvent[] }
  /**
   * `fix`: what an author does about this cause, where the check's own `fix` is about another.
   * `preventsNothing`: what needs the check can be made nevertheless, which is so for few.
   */
  | {
      readonly status: "fail";
      readonly observed: string;
      readonly fix?: string;
      readonly trace?: readonly TraceEvent[];
      readonly preventsNothing?: true;
    }
  /**
   * The target does not declare what the check is about, or the user did not allow it (`wants`): no
   * verdict is owed.
   */
  | { readonly status: "not-applicable"; readonly reason: string; readonly wants?: "tool-calls" }
  /**
   * The check is owed but could not be made; `cause` names the failed check that prevented it, so
   * that one cause is one headline.
   */
  | { readonly status: "could-not-run"; readonly reason: string; readonly cause?: string };

/** A check that can be run against a `Target`. */
export interface Check<Target> extends CheckInfo {
  /**
   * Ids of checks that must have passed, or prevent nothing; else this one could not run, because
   * of the first of them that did not.
   */
  readonly needs?: readonly string[];
  /**
   * `"alone"`: runs after most others, and no other check runs meanwhile. `"end"`: looks at the
   * whole run, after all others.
   */
  readonly when?: "alone" | "end";
  /** Judges the target. A throw is an `could-not-run`, not a failure of the target. */
  readonly run: (target: Target, context: CheckContext) => Promise<Finding>;
}

/** What the engine gives to each check. */
export interface CheckContext {
  /** Aborts when the check's time is up. */
  readonly signal: AbortSignal;
  /** Seeded: the same seed gives the same run. */
  readonly random: () => number;
  /** Of a check that runs alone or at the end: the results of those before it. */
  readonly earlier?: readonly CheckResult[];
}

/** A finding with the check that made it. */
export interface CheckResult {
  readonly check: CheckInfo;
  readonly finding: Finding;
  readonly durationMs: number;
  /** Why a failure does not count: an entry of the baseline. */
  readonly baselined?: string;
}

/** What an author does about a failure: for what was found, or for the check in general. */
export function fixOf({ check, finding }: Pick<CheckResult, "check" | "finding">): string {
  return (finding.status === "fail" ? finding.fix : undefined) ?? check.fix;
}
