import type { Clock } from "@toolport/core";
import { createDeadline } from "@toolport/core/implement";
import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../../test/simulation/virtual-clock.ts";
import { createPausable } from "./pausable.ts";

describe("createPausable()", () => {
  it("stops all its deadlines during a pause, also those that join, and pauses may overlap", () => {
    let now = 0;
    const clock: Clock = { now: () => now, schedule: () => () => {} };
    const deadline = (): ReturnType<typeof createDeadline> =>
      createDeadline({ timeoutMs: 100, onTimeout: () => "late", clock });
    const group = createPausable({ clock, mostMs: () => 1000 });
    const [early, gone, late] = [deadline(), deadline(), deadline()];
    group.add(early);
    group.add(gone)();
    now = 10;
    const first = group.pause();
    const second = group.pause();
    group.add(late);
    now = 60;
    first();
    first();
    now = 80;
    expect([early, gone, late].map((one) => one.remainingMs())).toEqual([90, 20, 90]);
    second();
    now = 90;
    expect([early, gone, late].map((one) => one.remainingMs())).toEqual([80, 10, 80]);
  });

  it("stops none for longer than it may in all, however long and often it is asked to", () => {
    const clock = createVirtualClock();
    const group = createPausable({ clock, mostMs: () => 50 });
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late", clock });
    const leave = group.add(deadline);
    const first = group.pause();
    clock.advance(30);
    first();
    clock.advance(10);
    expect(deadline.remainingMs()).toBe(90);
    const second = group.pause();
    clock.advance(20);
    expect(deadline.remainingMs()).toBe(90);
    clock.advance(30);
    expect(deadline.remainingMs()).toBe(60);
    second();
    group.pause();
    clock.advance(60);
    expect(deadline.signal.reason).toBe("late");
    leave();
    expect(clock.pending).toBe(0);
  });
});
