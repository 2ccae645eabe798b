import { inSeconds } from "./in-seconds.ts";
import type { Baseline } from "./baseline.ts";
import { clock, resultWithin, untilAborted, type Fields } from "@hostside/core/implement";
import type { Check, CheckInfo, CheckResult, Finding } from "./check.ts";

/** What a run of checks is told, whatever it checks. */
export interface RunOptions<OneCheck> {
  /** Default: all. */
  readonly checks?: readonly OneCheck[];
  /** Default 1. */
  readonly seed?: number;
  /** `true`: failed SHOULD and HOST checks fail the run. Default `false`. */
  readonly strict?: boolean;
  readonly baseline?: Baseline;
  /** How many checks run at once. */
  readonly concurrency?: number;
  /** Ends the run early; the report then says what could not run. */
  readonly signal?: AbortSignal;
  readonly onStart?: (check: CheckInfo) => void;
  readonly onResult?: (result: CheckResult) => void;
  /** The time of day. Default: the system's. */
  readonly today?: () => Date;
}

/** The names of {@linkcode RunOptions}. */
export const runOptionFields: Fields<RunOptions<unknown>> = {
  checks: true,
  seed: true,
  strict: true,
  baseline: true,
  concurrency: true,
  signal: true,
  onStart: true,
  onResult: true,
  today: true,
};

/** How a set of checks is run. */
export interface RunChecksOptions extends Pick<RunOptions<unknown>, "concurrency" | "signal" | "onStart" | "onResult"> {
  readonly seed: number;
  /**
   * Time for one check, in milliseconds. A check that takes longer could not run. Default 10,000.
   */
  readonly checkTimeoutMs?: number;
}

/**
 * Runs checks against a target, each after those that it needs, and returns one result for each, in
 * the order of `checks`. Never rejects because of a check: what a check throws is a result.
 *
 * Throws `TypeError` when ids repeat, or a need is unknown or does not come first.
 */
export async function runChecks<Target>(
  checks: readonly Check<Target>[],
  target: Target,
  options: RunChecksOptions,
): Promise<readonly CheckResult[]> {
  const inTurn = [undefined, "alone", "end"].map((turn) => checks.filter(({ when }) => when === turn));
  assertOrder(inTurn.flat());
  const running = new Map<string, Promise<CheckResult>>();
  const slots = createSlots(options.concurrency ?? 4);
  const [atOnce = [], ...later] = inTurn;
  for (const check of atOnce) running.set(check.id, runAfterNeeds(check, []));
  for (const check of later.flat()) running.set(check.id, runAfterNeeds(check, Array.from(running.values())));
  return Promise.all(checks.flatMap(({ id }) => running.get(id) ?? []));

  async function runAfterNeeds(check: Check<Target>, before: readonly Promise<CheckResult>[]): Promise<CheckResult> {
    const earlier = await Promise.all(before);
    const needed = await Promise.all((check.needs ?? []).flatMap((id) => running.get(id) ?? []));
    const blocked = needed.find(({ finding }) => prevents(finding));
    const result = blocked
      ? { check: describe(check), finding: blockedBy(blocked), durationMs: 0 }
      : await slots(() => runOne(check, target, { ...options, earlier }));
    options.onResult?.(result);
    return result;
  }
}

interface RunOneOptions extends RunChecksOptions {
  readonly earlier: readonly CheckResult[];
}

function prevents(finding: Finding): boolean {
  return finding.status === "fail" ? finding.preventsNothing !== true : finding.status !== "pass";
}

async function runOne<Target>(check: Check<Target>, target: Target, options: RunOneOptions): Promise<CheckResult> {
  const { checkTimeoutMs = 10_000, seed, signal = new AbortController().signal, earlier } = options;
  const info = describe(check);
  const controller = new AbortController();
  const startedAt = clock.now();
  const late: Finding = {
    status: "could-not-run",
    reason: `the check did not finish within ${inSeconds(checkTimeoutMs)}`,
  };
  options.onStart?.(info);
  const run = async (): Promise<Finding> => {
    const context = { signal: controller.signal, random: seededRandom(seed, check.id), earlier };
    return (await resultWithin(check.run(target, context), checkTimeoutMs)) ?? late;
  };
  const found = await (signal.aborted ? undefined : untilAborted(run(), signal).catch(failureOf));
  controller.abort();
  return { check: info, finding: found && !signal.aborted ? found : stopped, durationMs: clock.now() - startedAt };
}

const stopped: Finding = { status: "could-not-run", reason: "the run was stopped", cause: "stop" };

function failureOf(error: unknown): Finding {
  return { status: "could-not-run", reason: error instanceof Error ? error.message : String(error) };
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

/**
 * A small generator of numbers in `[0, 1)` (mulberry32). The same seed and name give the same
 * numbers, and each name its own, so that leaving one check out does not change what the others do.
 */
export function seededRandom(seed: number, name: string): () => number {
  let state = seed >>> 0;
  for (const unit of name) state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
