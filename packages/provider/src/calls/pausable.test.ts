import { createDeadline } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { useVirtualClock } from "../../test/simulation/virtual-clock.ts";
import { Pausable } from "./pausable.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

describe("Pausable", () => {
  it("stops a deadline that several calls share for as long as one of them goes by it", () => {
    let now = 0;
    useTestClock({ now: () => now, schedule: () => () => {} });
    const shared = createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
    const group = new Pausable();
    group.add(shared, undefined)();
    const leave = group.add(shared, undefined);
    group.add(shared, undefined);
    leave();
    group.pause(undefined);
    now = 60;
    expect(shared.remainingMs()).toBe(100);
  });

  it("stops all its deadlines during a pause, also those that join, and pauses may overlap", () => {
    let now = 0;
    useTestClock({ now: () => now, schedule: () => () => {} });
    const deadline = (): ReturnType<typeof createDeadline> =>
      createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
    const group = new Pausable();
    const [early, gone, late] = [deadline(), deadline(), deadline()];
    group.add(early, undefined);
    group.add(gone, undefined)();
    now = 10;
    const first = group.pause(undefined);
    const second = group.pause(undefined);
    group.add(late, undefined);
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
    const clock = useVirtualClock();
    const group = new Pausable();
    const deadline = createDeadline({ timeoutMs: 100, mostPausedMs: 50, onTimeout: () => "late" });
    const leave = group.add(deadline, undefined);
    const first = group.pause(undefined);
    clock.advance(30);
    first();
    clock.advance(10);
    expect(deadline.remainingMs()).toBe(90);
    const second = group.pause(undefined);
    clock.advance(20);
    expect(deadline.remainingMs()).toBe(90);
    clock.advance(30);
    expect(deadline.remainingMs()).toBe(60);
    second();
    group.pause(undefined);
    clock.advance(60);
    expect(deadline.signal.reason).toBe("late");
    leave();
    expect(clock.pending).toBe(0);
  });

  it("stops those of the caller that is asked and of nobody in particular, and no others", () => {
    const clock = useVirtualClock();
    const group = new Pausable();
    const fairnessKeys = ["a", "b", undefined];
    const all = fairnessKeys.map(() => createDeadline({ timeoutMs: 100, onTimeout: () => "late" }));
    all.forEach((deadline, at) => group.add(deadline, fairnessKeys[at]));
    const left = (): readonly number[] => all.map((deadline) => deadline.remainingMs());
    const first = group.pause("a");
    clock.advance(10);
    expect(left()).toEqual([100, 90, 100]);
    const second = group.pause(undefined);
    first();
    clock.advance(10);
    expect(left()).toEqual([90, 80, 100]);
    second();
    clock.advance(10);
    expect(left()).toEqual([80, 70, 90]);
  });
});
