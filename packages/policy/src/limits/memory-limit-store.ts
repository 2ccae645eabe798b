import { clock } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";
import { createBucketSet, findExceededLimit, settleInto, takeFrom, type Bucket, type BucketSet } from "./bucket.ts";
import type { LimitLease, LimitRefusal, LimitStore, LimitWant } from "./limit-store.ts";

// Of all limits together.
const mostWaiting = 1000;

interface Waiter {
  readonly buckets: readonly Bucket[];
  readonly since: number;
  readonly settle: (result: LimitLease | LimitRefusal) => void;
}

interface MemoryParts {
  readonly waiters: Set<Waiter>;
  cancelWake: Cancel | undefined;
}

/**
 * Counts limits in memory, for one process. Waiting calls are admitted in order of arrival, as far
 * as there is capacity for them.
 */
export function createMemoryLimitStore(): LimitStore {
  const sets = new Map<string, BucketSet>();
  const parts: MemoryParts = { waiters: new Set(), cancelWake: undefined };

  const find = ({ rule, key }: LimitWant, now: number): Bucket => {
    const set = sets.get(rule.name) ?? createBucketSet(rule);
    sets.set(rule.name, set);
    return set.find(key, now);
  };
  return {
    take(wants, signal) {
      const now = clock.now();
      // Whoever waits and fits by now goes first.
      if (parts.waiters.size > 0) letIn(parts);
      const buckets = wants.map((want) => find(want, now));
      const result = tryTake(buckets, parts);
      const mayWait = !result.granted && parts.waiters.size < mostWaiting && !isInVain(result, now, now);
      return mayWait ? wait(buckets, signal, parts) : result;
    },
  };
}

/**
 * Takes of each, or of none. Nothing can come between the look and the taking. Without `since`,
 * nobody has waited for it, however slow the machine is.
 */
function tryTake(buckets: readonly Bucket[], parts: MemoryParts, since?: number): LimitLease | LimitRefusal {
  const now = clock.now();
  for (const bucket of buckets) {
    const full = findExceededLimit(bucket, now);
    if (full !== undefined) return full;
  }
  for (const bucket of buckets) takeFrom(bucket, now);
  let isOpen = true;
  return {
    granted: true,
    waitedMs: since === undefined ? 0 : now - since,
    settle(wasSent) {
      if (!isOpen) return;
      isOpen = false;
      const endedAt = clock.now();
      for (const bucket of buckets) settleInto(bucket, { now: endedAt, takenAt: now, wasSent });
      if (parts.waiters.size > 0) letIn(parts);
    },
  };
}

/** Tells whether to wait any longer makes no sense, or is not allowed. */
function isInVain({ rule, part, retryAfterMs = 0 }: LimitRefusal, since: number, now: number): boolean {
  return part === "budget" || now >= since + rule.waitMs || now + retryAfterMs > since + rule.waitMs;
}

function wait(
  buckets: readonly Bucket[],
  signal: AbortSignal | undefined,
  parts: MemoryParts,
): Promise<LimitLease | LimitRefusal> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const leave = (): void => {
      parts.waiters.delete(waiter);
      signal?.removeEventListener("abort", giveUp);
      for (const bucket of buckets) bucket.waiting -= 1;
    };
    const giveUp = (): void => {
      leave();
      reject(signal?.reason as Error);
      // Nobody may be left to be woken for.
      letIn(parts);
    };
    const waiter: Waiter = {
      buckets,
      since: clock.now(),
      settle(result) {
        leave();
        resolve(result);
      },
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    for (const bucket of buckets) bucket.waiting += 1;
    parts.waiters.add(waiter);
    letIn(parts);
  });
}

/**
 * Lets in whoever fits, turns away whose time is over, and sees to it that the next one is looked
 * at in time.
 */
function letIn(parts: MemoryParts): void {
  const { waiters } = parts;
  parts.cancelWake?.();
  parts.cancelWake = undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  for (const waiter of waiters) {
    const now = clock.now();
    const result = tryTake(waiter.buckets, parts, waiter.since);
    if (result.granted || isInVain(result, waiter.since, now)) {
      waiter.settle(result);
      continue;
    }
    const inMs = result.retryAfterMs ?? Number.POSITIVE_INFINITY;
    wakeAt = Math.min(wakeAt, waiter.since + result.rule.waitMs, now + inMs);
  }
  if (wakeAt === Number.POSITIVE_INFINITY) return;
  parts.cancelWake = clock.schedule(Math.max(0, wakeAt - clock.now()), () => letIn(parts));
}
