import type { LimitRefusal, LimitRule } from "./limit-store.ts";

/** The use of one limit, for one key. */
export interface Bucket {
  readonly rule: LimitRule;
  readonly shared: boolean;
  /** When the bucket of tokens is full again; it lacks one for each `perMs / calls` until then. */
  fullAt: number;
  /** Calls under way. */
  active: number;
  /** Calls that wait because of it, or of another one together with it. */
  waiting: number;
  /** Calls in the window since {@linkcode since}. */
  spent: number;
  since: number;
  usedAt: number;
}

// Less than a clock can show; the sums of a rate are no whole numbers.
const roundingMs = 1e-6;

/** Makes a bucket of which nothing is used. */
function createBucket(rule: LimitRule, now: number, shared = false): Bucket {
  return { rule, shared, fullAt: now, active: 0, waiting: 0, spent: 0, since: now, usedAt: now };
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
  if (bucket.spent === 0) bucket.since = now;
  bucket.spent += 1;
}

/** A call that took at `takenAt` has ended. */
export function settleInto(
  bucket: Bucket,
  { now, takenAt, wasSent }: { readonly now: number; readonly takenAt: number; readonly wasSent: boolean },
): void {
  bucket.active -= 1;
  bucket.usedAt = now;
  // Its token stays taken. Meanwhile the bucket may have been full again, and would have held no
  // more: whoever gives back late gives one that was never there.
  if (!wasSent && bucket.spent > 0 && takenAt >= bucket.since) bucket.spent -= 1;
}

/** The buckets of one limit, one for each key, bounded in number. */
export interface BucketSet {
  readonly size: number;
  find(key: string, now: number): Bucket;
}

// Of each limit.
const mostKeys = 100_000;
const dayMs = 86_400_000;
// More than one, so that unused keys go faster than new ones come.
const lookedAt = 4;

/**
 * Makes an empty set. A bucket is dropped only when nothing is lost with it. When as many as may be
 * are in use, newcomers share one: that is stricter for them, and nobody gets more than the limit
 * by bringing keys of which there are more than can be counted.
 */
export function createBucketSet(rule: LimitRule, maxKeys: number = mostKeys): BucketSet {
  // The one that was looked at last comes last.
  const buckets = new Map<string, Bucket>();
  let newcomers: Bucket | undefined;
  return {
    get size() {
      return buckets.size;
    },
    find(key, now) {
      const known = buckets.get(key);
      if (known !== undefined) return known;
      let left = lookedAt;
      for (const [other, bucket] of buckets) {
        if (left === 0) break;
        left -= 1;
        buckets.delete(other);
        if (!isUnused(bucket, now)) buckets.set(other, bucket);
      }
      if (buckets.size >= maxKeys) return (newcomers ??= createBucket(rule, now, true));
      const bucket = createBucket(rule, now);
      buckets.set(key, bucket);
      return bucket;
    },
  };
}

// What was used of a budget without an end is kept for a day after its last use.
function isUnused(bucket: Bucket, now: number): boolean {
  if (bucket.active > 0 || bucket.waiting > 0 || bucket.fullAt > now) return false;
  startWindow(bucket, now);
  return bucket.spent === 0 || now - bucket.usedAt >= dayMs;
}

function startWindow(bucket: Bucket, now: number): void {
  const perMs = bucket.rule.budget?.perMs;
  if (perMs !== undefined && now >= bucket.since + perMs) bucket.spent = 0;
}

function whyBudgetUsed(bucket: Bucket, now: number): LimitRefusal | undefined {
  const { budget } = bucket.rule;
  if (budget === undefined || bucket.spent < budget.calls) return undefined;
  const retryAfterMs = budget.perMs === undefined ? undefined : bucket.since + budget.perMs - now;
  return refusal(bucket, { part: "budget", used: bucket.spent, limit: budget.calls, retryAfterMs });
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
