import type { Clock } from "@toolport/core";
import { systemClock } from "@toolport/core/implement";
import type { Check, CheckInfo, CheckResult, Finding } from "./check.ts";
import { seededRandom } from "./seeded-random.ts";

/** How a set of checks is run. */
export interface RunChecksOptions {
  readonly seed: number;
  /** Time for one check, in milliseconds. A check that takes longer could not run. Default 10,000. */
  readonly checkTimeoutMs?: number;
  /** How many checks run at once. Default 4: most of a check's time is a process that starts. */
  readonly concurrency?: number;
  readonly clock?: Clock;
  /** Ends the run: what has not finished could not run. */
  readonly signal?: AbortSignal;
  readonly onStart?: (check: CheckInfo) => void;
  readonly onResult?: (result: CheckResult) => void;
}

/**
 * Runs checks against a target, each after those that it needs, and returns one result for each, in the order of `checks`. Never
 * rejects because of a check: what a check throws is a result.
 *
 * Throws `TypeError` when ids repeat, or a need is unknown or does not come first.
 */
export async function runChecks<Target>(
  checks: readonly Check<Target>[],
  target: Target,
  options: RunChecksOptions,
): Promise<readonly CheckResult[]> {
  assertOrder(checks);
  const running = new Map<string, Promise<CheckResult>>();
  const slots = createSlots(options.concurrency ?? 4);
  for (const check of checks) running.set(check.id, runAfterNeeds(check));
  return Promise.all(running.values());

  async function runAfterNeeds(check: Check<Target>): Promise<CheckResult> {
    const needed = await Promise.all((check.needs ?? []).flatMap((id) => running.get(id) ?? []));
    const blocked = needed.find(({ finding }) => finding.status !== "pass");
    const result = blocked
      ? { check: describe(check), finding: blockedBy(blocked), durationMs: 0 }
      : await slots(() => runOne(check, target, options));
    options.onResult?.(result);
    return result;
  }
}

async function runOne<Target>(check: Check<Target>, target: Target, options: RunChecksOptions): Promise<CheckResult> {
  const { clock = systemClock, checkTimeoutMs = 10_000, seed, signal } = options;
  const info = describe(check);
  const controller = new AbortController();
  const startedAt = clock.now();
  const late: Finding = { status: "could-not-run", reason: `the check did not finish within ${checkTimeoutMs} ms` };
  const stopped: Finding = { status: "could-not-run", reason: "the run was stopped", cause: "stop" };
  options.onStart?.(info);
  let onAbort = (): void => {};
  let cancel = (): void => {};
  const cutOff = new Promise<Finding>((resolve) => {
    cancel = clock.schedule(checkTimeoutMs, () => resolve(late));
    onAbort = () => resolve(stopped);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
  });
  try {
    const context = { signal: controller.signal, random: seededRandom(seed, check.id) };
    const finding = signal?.aborted ? stopped : await Promise.race([check.run(target, context), cutOff]);
    return { check: info, finding, durationMs: clock.now() - startedAt };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { check: info, finding: { status: "could-not-run", reason }, durationMs: clock.now() - startedAt };
  } finally {
    cancel();
    signal?.removeEventListener("abort", onAbort);
    controller.abort();
  }
}

/** The data of a check, without what runs it. */
export function describe<Target>({ id, title, level, requirement, legal, fix }: Check<Target>): CheckInfo {
  return { id, title, level, requirement, legal, fix };
}

// The first cause, not the nearest: whoever reads the result should see what to mend.
function blockedBy({ check, finding }: CheckResult): Finding {
  if (finding.status === "not-applicable") return finding;
  const cause = finding.status === "could-not-run" && finding.cause !== undefined ? finding.cause : check.id;
  return { status: "could-not-run", reason: `needs ${cause}, which did not pass`, cause };
}

function assertOrder<Target>(checks: readonly Check<Target>[]): void {
  const seen = new Set<string>();
  for (const { id, needs = [] } of checks) {
    if (seen.has(id)) throw new TypeError(`check ${id} is there twice`);
    const missing = needs.find((need) => !seen.has(need));
    if (missing !== undefined) throw new TypeError(`check ${id} needs ${missing}, which does not come before it`);
    seen.add(id);
  }
}

/** At most `count` tasks at once, in the order of asking. */
function createSlots(count: number): <T>(task: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
