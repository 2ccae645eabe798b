import { createBucket, isUnused, type Bucket } from "./bucket.ts";
import type { LimitRule } from "./limit-store.ts";

/** The buckets of one limit, one for each key, bounded in number. */
export interface BucketSet {
  readonly size: number;
  find(key: string, now: number): Bucket;
}

/** How a set of buckets is bounded. */
export interface BucketSetInit {
  readonly rule: LimitRule;
  readonly maxKeys: number;
  readonly forgetAfterMs: number;
}

// How many are looked at for each new key: more than one, so that what is unused goes faster than
// new keys come.
const lookedAt = 4;

/**
 * Makes an empty set. A bucket is dropped only when nothing is lost with it. When as many as may be
 * are in use, newcomers share one: that is stricter for them, and nobody gets more than the limit
 * by bringing keys of which there are more than can be counted.
 */
export function createBucketSet({ rule, maxKeys, forgetAfterMs }: BucketSetInit): BucketSet {
  // Who was looked at last comes last.
  const buckets = new Map<string, Bucket>();
  let newcomers: Bucket | undefined;

  const dropUnused = (now: number): void => {
    let left = lookedAt;
    for (const [key, bucket] of buckets) {
      if (left === 0) return;
      left -= 1;
      buckets.delete(key);
      // One that is in use makes room at the head for the next look; one that is as good as new may
      // as well be made anew.
      if (!isUnused(bucket, now, forgetAfterMs)) buckets.set(key, bucket);
    }
  };
  return {
    get size() {
      return buckets.size;
    },
    find(key, now) {
      const known = buckets.get(key);
      if (known !== undefined) return known;
      dropUnused(now);
      if (buckets.size >= maxKeys) return (newcomers ??= createBucket(rule, now, true));
      const bucket = createBucket(rule, now);
      buckets.set(key, bucket);
      return bucket;
    },
  };
}
