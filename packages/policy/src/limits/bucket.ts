import type { LimitRefusal, LimitRule, Spending, Spent } from "./limit-store.ts";

/** What is used of one limit, for one key. */
export interface Bucket {
  readonly rule: LimitRule;
  readonly shared: boolean;
  /** When the bucket of tokens is full again; it lacks one for each `perMs / calls` until then. */
  fullAt: number;
  /** Calls under way. */
  active: number;
  /** Calls that wait because of it, or of another one together with it. */
  waiting: number;
  /** Of the window since {@linkcode since}. */
  spent: Spending;
  since: number;
  usedAt: number;
}

const nothing: Spending = Object.freeze({ calls: 0, bytes: 0, timeMs: 0, cost: 0 });
const oneCall: Spending = Object.freeze({ ...nothing, calls: 1 });
// Less than a clock can show; the sums of a rate are no whole numbers.
const roundingMs = 1e-6;

/** Makes a bucket of which nothing is used. */
export function createBucket(rule: LimitRule, now: number, shared: boolean = false): Bucket {
  return { rule, shared, fullAt: now, active: 0, waiting: 0, spent: nothing, since: now, usedAt: now };
}

/** Why there is nothing left for one call more; `undefined` when there is. Takes nothing. */
export function findExceededLimit(bucket: Bucket, now: number): LimitRefusal | undefined {
  startWindow(bucket, now);
  return whyBudgetUsed(bucket, now) ?? whyTooFast(bucket, now) ?? whyBusy(bucket);
}

/**
 * Takes what one call takes. Only after {@linkcode findExceededLimit} has found room, in the same
 * step.
 */
export function takeFrom(bucket: Bucket, now: number): void {
  const { rate, budget } = bucket.rule;
  bucket.active += 1;
  bucket.usedAt = now;
  if (rate !== undefined) bucket.fullAt = Math.max(bucket.fullAt, now) + rate.perMs / rate.calls;
  if (budget === undefined) return;
  // A window begins with its first call.
  if (bucket.spent === nothing) bucket.since = now;
  bucket.spent = sum(bucket.spent, oneCall);
}

/** A call that took at `takenAt` has ended. */
export function settleInto(
  bucket: Bucket,
  { now, takenAt, spent }: { readonly now: number; readonly takenAt: number; readonly spent: Spent | undefined },
): void {
  const { budget } = bucket.rule;
  bucket.active -= 1;
  bucket.usedAt = now;
  if (spent !== undefined) {
    startWindow(bucket, now);
    // That it was one call is counted already.
    if (budget !== undefined) {
      if (bucket.spent === nothing) bucket.since = now;
      bucket.spent = sum(bucket.spent, { ...spent, calls: 0 });
    }
    return;
  }
  // Its token stays taken. Meanwhile the bucket may have been full again, and would have held no
  // more: whoever gives back late gives one that was never there.
  if (bucket.spent.calls > 0 && takenAt >= bucket.since) {
    bucket.spent = sum(bucket.spent, { ...nothing, calls: -1 });
  }
}

/**
 * Whether nothing would be lost with the bucket. What was used of a budget without an end is kept
 * until nobody has used it for `forgetAfterMs`.
 */
export function isUnused(bucket: Bucket, now: number, forgetAfterMs: number): boolean {
  if (bucket.active > 0 || bucket.waiting > 0 || bucket.fullAt > now) return false;
  startWindow(bucket, now);
  return bucket.spent === nothing || now - bucket.usedAt >= forgetAfterMs;
}

function startWindow(bucket: Bucket, now: number): void {
  const perMs = bucket.rule.budget?.perMs;
  if (perMs === undefined || bucket.spent === nothing || now < bucket.since + perMs) return;
  bucket.spent = nothing;
}

// Written out: it runs twice for each call with a budget.
function sum(a: Spending, b: Spending): Spending {
  const calls = a.calls + b.calls;
  const bytes = a.bytes + b.bytes;
  const timeMs = a.timeMs + b.timeMs;
  const cost = a.cost + b.cost;
  return calls === 0 && bytes === 0 && timeMs === 0 && cost === 0 ? nothing : { calls, bytes, timeMs, cost };
}

const resources = ["calls", "bytes", "timeMs", "cost"] as const;

function whyBudgetUsed(bucket: Bucket, now: number): LimitRefusal | undefined {
  const { budget } = bucket.rule;
  if (budget === undefined) return undefined;
  for (const part of resources) {
    const limit = budget[part];
    const used = bucket.spent[part];
    if (limit === undefined || used < limit) continue;
    const retryAfterMs = budget.perMs === undefined ? undefined : bucket.since + budget.perMs - now;
    return refusal(bucket, { part, used, limit, retryAfterMs });
  }
  return undefined;
}

function whyTooFast(bucket: Bucket, now: number): LimitRefusal | undefined {
  const { rate } = bucket.rule;
  if (rate === undefined) return undefined;
  const { calls, perMs, burst } = rate;
  const intervalMs = perMs / calls;
  const missingMs = Math.max(0, bucket.fullAt - now);
  const retryAfterMs = missingMs - (burst - 1) * intervalMs;
  if (retryAfterMs <= roundingMs) return undefined;
  const used = Math.min(burst, Math.ceil(missingMs / intervalMs - roundingMs));
  return refusal(bucket, { part: "rate", used, limit: burst, retryAfterMs });
}

function whyBusy(bucket: Bucket): LimitRefusal | undefined {
  const { concurrency } = bucket.rule;
  if (concurrency === undefined || bucket.active < concurrency) return undefined;
  return refusal(bucket, { part: "concurrency", used: bucket.active, limit: concurrency, retryAfterMs: undefined });
}

function refusal(
  { rule, shared }: Bucket,
  { retryAfterMs, ...rest }: Pick<LimitRefusal, "part" | "used" | "limit" | "retryAfterMs">,
): LimitRefusal {
  const whole = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs));
  return { granted: false, rule, shared, ...rest, retryAfterMs: whole };
}
