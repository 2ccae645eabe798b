import { describe, expect, it } from "vitest";
import { createBucketSet, findExceededLimit, settleInto, takeFrom } from "./bucket.ts";

const rule = { name: "x", budget: { calls: 1 }, rate: { calls: 1, perMs: 100, burst: 1 }, waitMs: 0 };

describe("createBucketSet()", () => {
  it("keeps no more keys than it may, and has newcomers share one allowance rather than give each another", () => {
    const set = createBucketSet(rule, 3);
    let granted = 0;
    for (let key = 0; key < 1000; key += 1) {
      const bucket = set.find(`key ${key}`, 0);
      if (findExceededLimit(bucket, 0) !== undefined) continue;
      takeFrom(bucket, 0);
      granted += 1;
    }
    expect(set.size).toBe(3);
    expect(granted).toBe(4);
    expect(findExceededLimit(set.find("key 999", 0), 0)).toMatchObject({ shared: true });
    // Those who were there first have their own still.
    expect(findExceededLimit(set.find("key 0", 0), 0)).toMatchObject({ shared: false, part: "budget" });
  });

  it("forgets a key with a budget without an end only after it was unused for that long, and never one in use", () => {
    const set = createBucketSet(rule, 1);
    const first = set.find("first", 0);
    takeFrom(first, 0);
    expect(set.find("second", 5000)).toMatchObject({ shared: true });
    settleInto(first, { now: 5000, takenAt: 0, wasSent: true });
    expect(set.find("second", 86_404_999)).toMatchObject({ shared: true });
    expect(set.find("first", 86_404_999)).toBe(first);
    expect(set.find("second", 86_405_000)).toMatchObject({ shared: false });
    expect(set.size).toBe(1);
  });

  it("drops at once what is as good as new, so that keys which come and go need no room", () => {
    const windowed = { name: "y", budget: { calls: 5, perMs: 10 }, waitMs: 0 };
    const set = createBucketSet(windowed, 10_000);
    for (let now = 0; now < 10_000; now += 1) {
      const bucket = set.find(`key ${now}`, now);
      takeFrom(bucket, now);
      settleInto(bucket, { now, takenAt: now, wasSent: true });
    }
    expect(set.size).toBeLessThan(20);
  });
});
