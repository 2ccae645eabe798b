import { clock } from "./clock.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Alarm } from "./alarm.ts";

const useFakeTimers = (): void => void vi.useFakeTimers();
afterEach(() => void vi.useRealTimers());

describe("an alarm", () => {
  beforeEach(useFakeTimers);

  const start = (): { alarm: Alarm; after: number[]; from: number } => {
    const from = clock.now();
    const after: number[] = [];
    return { alarm: new Alarm(() => after.push(clock.now() - from)), after, from };
  };

  it("goes off once, when the time has come", () => {
    const { alarm, after, from } = start();
    alarm.setBy(from + 50);
    vi.advanceTimersByTime(49);
    expect(after).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(after).toEqual([50]);
  });

  it("goes off for the earliest of what it was set for, in whatever order, and again when it is set again", () => {
    const { alarm, after, from } = start();
    alarm.setBy(from + 50);
    alarm.setBy(from + 20);
    alarm.setBy(from + 80);
    vi.advanceTimersByTime(100);
    expect(after).toEqual([20]);
    alarm.setBy(from + 150);
    vi.advanceTimersByTime(100);
    expect(after).toEqual([20, 150]);
  });

  it("is set for what is overdue", () => {
    const { alarm, after, from } = start();
    alarm.setBy(from - 5);
    vi.advanceTimersByTime(1);
    expect(after).toHaveLength(1);
  });

  it("does not go off when it was stopped, and leaves no timer; stopping again does no harm", () => {
    const { alarm, after, from } = start();
    alarm.stop();
    alarm.setBy(from + 50);
    alarm.stop();
    alarm.stop();
    expect(vi.getTimerCount()).toBe(0);
    alarm.rest();
    vi.advanceTimersByTime(100);
    expect(after).toEqual([]);
  });

  it("is in time again after a rest, also for what is earlier than before", () => {
    const { alarm, after, from } = start();
    alarm.setBy(from + 50);
    alarm.rest();
    alarm.rest();
    alarm.setBy(from + 30);
    vi.advanceTimersByTime(30);
    expect(after).toEqual([30]);
  });

  it("does not go off before a time that no timer is long enough for", () => {
    const { alarm, after, from } = start();
    alarm.setBy(from + 2 ** 31 + 1000);
    vi.advanceTimersByTime(2 ** 31);
    expect(after).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(after).toHaveLength(1);
  });
});

describe("an alarm, on the real time", () => {
  it("keeps its one timer while it rests, and is set with it for what is later", () => {
    useFakeTimers();
    const alarm = new Alarm(() => {});
    const from = clock.now();
    for (let call = 0; call < 100; call += 1) {
      alarm.setBy(from + 1000 + call);
      alarm.rest();
      expect(vi.getTimerCount()).toBe(1);
    }
    alarm.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("cancels its timer at rest where a timer cannot be told to keep nothing alive", () => {
    const cleared: unknown[] = [];
    vi.stubGlobal("setTimeout", () => 7);
    vi.stubGlobal("clearTimeout", (timer: unknown) => cleared.push(timer));
    const alarm = new Alarm(() => {});
    alarm.setBy(clock.now() + 1000);
    alarm.rest();
    expect(cleared).toEqual([7]);
  });
});

describe("an alarm, when a test puts its own timers in place of the runtime's while the alarm rests", () => {
  const rest = (dueInMs: number) => {
    let count = 0;
    const alarm = new Alarm(() => (count += 1));
    alarm.setBy(clock.now() + dueInMs);
    alarm.rest();
    return { alarm, count: () => count };
  };

  it("goes off on the real time that comes back", async () => {
    useFakeTimers();
    const { alarm, count } = rest(10);
    vi.useRealTimers();
    alarm.setBy(clock.now() + 20);
    await vi.waitFor(() => expect(count()).toBe(1), 60_000);
  });

  it("goes off by the timers of the test", () => {
    const { alarm, count } = rest(0);
    useFakeTimers();
    // The test's own time begins anew, so that what was due before is not later than this.
    vi.advanceTimersByTime(1_000_000_000);
    alarm.setBy(clock.now() + 20);
    vi.advanceTimersByTime(20);
    expect(count()).toBe(1);
    alarm.stop();
  });
});

describe("an alarm, with the timers of Node", () => {
  it("keeps the process alive while it is set, and not while it rests", () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = timers();
    const alarm = new Alarm(() => {});
    alarm.setBy(clock.now() + 60_000);
    expect(timers()).toBe(before + 1);
    alarm.rest();
    expect(timers()).toBe(before);
    alarm.setBy(clock.now() + 70_000);
    expect(timers()).toBe(before + 1);
    alarm.stop();
    expect(timers()).toBe(before);
  });
});
