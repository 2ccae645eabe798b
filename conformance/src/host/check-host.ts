import { type RunFacts, createReport, preventAll } from "../engine/judge-run.ts";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { Check } from "../engine/check.ts";
import { runChecks, runOptionFields, type RunOptions } from "../engine/run-checks.ts";
import type { Obstacle, RunReport } from "../engine/run-report.ts";
import { DriverFailure, type DriverLink } from "./driver-link.ts";
import { hostChecks } from "./host-checks.ts";
import { openHostTarget, type HostTarget } from "./host-target.ts";

/**
 * Options of {@linkcode checkHost}. By default three scenarios are played at once, each with a driver of
 * its own.
 */
export interface CheckHostOptions extends RunOptions<Check<HostTarget>> {
  /**
   * Starts a driver; called once for each scenario that runs at the same time, and again when one
   * fails.
   */
  readonly start: () => DriverLink;
  /** What was started, for the report. */
  readonly name: string;
  /** How long a host may take for what it should do at once, in milliseconds. Default 5,000. */
  readonly patienceMs?: number;
}

const optionFields: Fields<CheckHostOptions> = { start: true, name: true, ...runOptionFields, patienceMs: true };

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
  const { start, name: target, checks = hostChecks, patienceMs = 5000, today = () => new Date() } = options;
  const { seed = 1, concurrency = 3 } = options;
  const startedAt = today();
  const begin = performance.now();
  const report = (facts: Pick<RunFacts, "results" | "identity" | "obstacle">): RunReport =>
    createReport(options, {
      side: "host",
      target,
      startedAt,
      durationMs: performance.now() - begin,
      trace: facts.results.flatMap(({ finding }) => (finding.status === "fail" ? (finding.trace ?? []) : [])),
      ...facts,
    });
  let host: HostTarget;
  try {
    host = await openHostTarget(start, patienceMs);
  } catch (error) {
    if (!(error instanceof DriverFailure)) throw error;
    const obstacle: Obstacle = { kind: "unreachable", reason: error.message };
    return report({ results: preventAll(checks, obstacle), obstacle });
  }
  try {
    // A scenario waits a few times; each wait ends by itself with a verdict.
    const checkTimeoutMs = patienceMs * 8;
    const results = await runChecks(checks, host, { ...options, seed, concurrency, checkTimeoutMs });
    const { name, version, features } = host.hello;
    const protocolVersions = features.filter((feature) => feature === "legacy" || feature === "2026-07-28");
    return report({ results, identity: { name, version, protocolVersions } });
  } finally {
    await host.close();
  }
}
