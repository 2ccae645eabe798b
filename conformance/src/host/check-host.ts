import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { applyBaseline, type Baseline } from "../engine/baseline.ts";
import type { Check, CheckInfo, CheckResult, Finding } from "../engine/check.ts";
import { judgeRun } from "../engine/judge-run.ts";
import { kitVersion } from "../engine/kit-version.ts";
import { describe, runChecks } from "../engine/run-checks.ts";
import { exitCodes, type Obstacle, type RunReport } from "../engine/run-report.ts";
import { DriverFailure, type DriverLink } from "./driver-link.ts";
import { hostChecks } from "./host-checks.ts";
import { openHostTarget, type HostTarget } from "./host-target.ts";

/** Options of {@linkcode checkHost}. */
export interface CheckHostOptions {
  /**
   * Starts a driver; called once for each scenario that runs at the same time, and again when one
   * fails.
   */
  readonly start: () => DriverLink;
  /** What was started, for the report. */
  readonly name: string;
  /** Default: all. */
  readonly checks?: readonly Check<HostTarget>[];
  /** Default 1. */
  readonly seed?: number;
  /** `true`: failed HOST checks fail the run. Default `false`. */
  readonly strict?: boolean;
  readonly baseline?: Baseline;
  /** How long a host may take for what it should do at once, in milliseconds. Default 5,000. */
  readonly patienceMs?: number;
  /** How many scenarios are played at once, each with a driver of its own. Default 3. */
  readonly concurrency?: number;
  /** Ends the run early; the report then says what could not run. */
  readonly signal?: AbortSignal;
  readonly onStart?: (check: CheckInfo) => void;
  readonly onResult?: (result: CheckResult) => void;
  /** The time of day. Default: the system's. */
  readonly today?: () => Date;
}

const optionFields: Fields<CheckHostOptions> = {
  start: true,
  name: true,
  checks: true,
  seed: true,
  strict: true,
  baseline: true,
  patienceMs: true,
  concurrency: true,
  signal: true,
  onStart: true,
  onResult: true,
  today: true,
};

/**
 * Puts a host into every scenario, and compares what its driver says with what the servers saw.
 * Leaves nothing running. Resolves with a report in every case that is about the host or its
 * driver. Rejects with a `TypeError` for an option that it does not know and for a `start` that is
 * no function, before anything starts.
 */
export async function checkHost(options: CheckHostOptions): Promise<RunReport> {
  assertKnownOptions("checkHost()", options, optionFields);
  if (typeof options.start !== "function")
    throw new TypeError("checkHost(): start must be a function that starts a driver");
  if (typeof options.name !== "string") throw new TypeError("checkHost(): name must be a string");
  const { start, checks = hostChecks, patienceMs = 5000, today = () => new Date() } = options;
  const startedAt = today();
  const begin = performance.now();
  let target: HostTarget;
  try {
    target = await openHostTarget({ start, patienceMs });
  } catch (error) {
    if (!(error instanceof DriverFailure)) throw error;
    const obstacle: Obstacle = { kind: "unreachable", reason: error.message };
    const results = preventAll(checks, obstacle);
    return createReport(options, { startedAt, results, obstacle, durationMs: performance.now() - begin });
  }
  try {
    const results = await runChecks(checks, target, runOptions(options, patienceMs));
    const { name, version, features } = target.hello;
    const protocolVersions = features.filter((feature) => feature === "legacy" || feature === "2026-07-28");
    const identity = { name, version, protocolVersions };
    return createReport(options, { startedAt, results, identity, durationMs: performance.now() - begin });
  } finally {
    await target.close();
  }
}

function runOptions(
  { seed = 1, concurrency = 3, signal, onStart, onResult }: CheckHostOptions,
  patienceMs: number,
): Parameters<typeof runChecks>[2] {
  return {
    seed,
    concurrency,
    // A scenario waits a few times; each wait ends by itself with a verdict.
    checkTimeoutMs: patienceMs * 8,
    ...(signal && { signal }),
    ...(onStart && { onStart }),
    ...(onResult && { onResult }),
  };
}

function preventAll(checks: readonly Check<HostTarget>[], { kind, reason }: Obstacle): readonly CheckResult[] {
  const finding: Finding = { status: "could-not-run", reason, cause: kind };
  return checks.map((check) => ({ check: describe(check), finding, durationMs: 0 }));
}

interface Facts extends Pick<RunReport, "results" | "durationMs"> {
  readonly startedAt: Date;
  readonly identity?: NonNullable<RunReport["identity"]>;
  readonly obstacle?: Obstacle;
}

function createReport(options: CheckHostOptions, { startedAt, results: found, ...facts }: Facts): RunReport {
  const { name, seed = 1, strict = false, baseline = { entries: [] } } = options;
  const { identity, obstacle, durationMs } = facts;
  const { results, stale } = applyBaseline(found, baseline, startedAt.toISOString().slice(0, 10));
  return {
    schemaVersion: 1,
    kit: { name: "@hostside/conformance", version: kitVersion() },
    side: "host",
    target: name,
    ...(identity && { identity }),
    startedAt: startedAt.toISOString(),
    durationMs,
    seed,
    strict,
    ...judgeRun(results, { strict, stale }),
    ...(obstacle && { obstacle, verdict: "incomplete", exitCode: exitCodes.unreachable }),
    results,
    staleBaseline: stale,
    trace: results.flatMap(({ finding }) => (finding.status === "fail" ? (finding.trace ?? []) : [])),
  };
}
