import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { createDeadline } from "./deadline.ts";

describe("createDeadline()", () => {
  it("aborts with the reason of onTimeout when the time is up", () => {
    const clock = manualClock();
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late", clock });
    clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.reason).toBe("late");
  });

  it("aborts with the caller's reason when the caller aborts first, also before the start", () => {
    const clock = manualClock();
    const caller = new AbortController();
    const running = createDeadline({ timeoutMs: 100, signal: caller.signal, onTimeout: () => "late", clock });
    caller.abort("enough");
    const late = createDeadline({ timeoutMs: 100, signal: caller.signal, onTimeout: () => "late", clock });
    expect([running.signal.reason, late.signal.reason]).toEqual(["enough", "enough"]);
    expect(clock.pending()).toBe(0);
  });

  it("stands still while paused, also when pauses overlap", () => {
    const clock = manualClock();
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late", clock });
    clock.advance(40);
    const first = deadline.pause();
    const second = deadline.pause();
    clock.advance(1000);
    first();
    first();
    clock.advance(1000);
    expect(deadline.remainingMs()).toBe(60);
    second();
    clock.advance(59);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
  });

  it("never fires after dispose, not even when a pause ends later", () => {
    const clock = manualClock();
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late", clock });
    const resume = deadline.pause();
    deadline.dispose();
    resume();
    clock.advance(1000);
    expect(deadline.signal.aborted).toBe(false);
    expect(clock.pending()).toBe(0);
  });
});

function manualClock(): Clock & { advance(ms: number): void; pending(): number } {
  let now = 0;
  const tasks = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    schedule(delayMs, run) {
      const task = { at: now + delayMs, run };
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    advance(ms) {
      now += ms;
      for (const task of Array.from(tasks)) {
        if (task.at > now) continue;
        tasks.delete(task);
        task.run();
      }
    },
    pending: () => tasks.size,
  };
}
