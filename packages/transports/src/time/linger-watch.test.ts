import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { LingerWatch } from "./cancellable-wait.ts";

describe("LingerWatch", () => {
  it("cancels what is still there after the time, once, and then has no timer", () => {
    const clock = useManualClock();
    const watch = new LingerWatch(100);
    let cancelled = 0;
    watch.add({ cancel: () => (cancelled += 1) });
    clock.advance(100);
    expect(cancelled).toBe(0);
    clock.advance(100);
    expect(cancelled).toBe(1);
    clock.advance(1000);
    expect([cancelled, clock.pending()]).toEqual([1, 0]);
  });

  it("leaves alone what ended in time, also in its second period", () => {
    const clock = useManualClock();
    const watch = new LingerWatch(100);
    const cancelled: string[] = [];
    const first = watch.add({ cancel: () => cancelled.push("first") });
    const second = watch.add({ cancel: () => cancelled.push("second") });
    first();
    clock.advance(100);
    second();
    clock.advance(1000);
    expect([cancelled, clock.pending()]).toEqual([[], 0]);
  });

  it("has one timer for all, and none after close()", () => {
    const clock = useManualClock();
    const watch = new LingerWatch(100);
    for (let n = 0; n < 50; n += 1) watch.add({ cancel: () => expect.unreachable() });
    expect(clock.pending()).toBe(1);
    watch.close();
    clock.advance(1000);
    expect(clock.pending()).toBe(0);
  });
});
