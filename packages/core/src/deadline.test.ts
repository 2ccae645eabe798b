import { describe, expect, it } from "vitest";
import { createDeadline } from "./deadline.ts";
import { useManualClock } from "../../../test/manual-clock.ts";

describe("createDeadline()", () => {
  it("aborts with the reason of onTimeout when the time is up", () => {
    const clock = useManualClock();
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
    clock.advance(99);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.reason).toBe("late");
  });

  it("aborts with the caller's reason when the caller aborts first, also before the start", () => {
    const clock = useManualClock();
    const caller = new AbortController();
    const running = createDeadline({ timeoutMs: 100, signal: caller.signal, onTimeout: () => "late" });
    caller.abort("enough");
    const late = createDeadline({ timeoutMs: 100, signal: caller.signal, onTimeout: () => "late" });
    expect([running.signal.reason, late.signal.reason]).toEqual(["enough", "enough"]);
    expect(clock.pending()).toBe(0);
  });

  it("stands still while paused, also when pauses overlap", () => {
    const clock = useManualClock();
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
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

  it("takes no longer than what is left of the one that it is a part of, and stops that with itself", () => {
    const clock = useManualClock();
    const outer = createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
    clock.advance(40);
    const inner = createDeadline({ timeoutMs: 500, outer, onTimeout: () => "inner" });
    const resume = inner.pause();
    clock.advance(1000);
    expect([outer.remainingMs(), inner.remainingMs()]).toEqual([60, 60]);
    resume();
    clock.advance(60);
    expect([outer.signal.reason, inner.signal.reason]).toEqual(["late", "inner"]);
    expect(clock.pending()).toBe(0);
  });

  it("lets the outer one go on when it is disposed of in a pause", () => {
    const clock = useManualClock();
    const outer = createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
    const inner = createDeadline({ timeoutMs: 50, outer, onTimeout: () => "inner" });
    inner.pause();
    inner.dispose();
    inner.pause();
    clock.advance(100);
    expect(outer.signal.reason).toBe("late");
    expect(clock.pending()).toBe(0);
  });

  it("stands still for no more than mostPausedMs in all, whoever asks for it", () => {
    const clock = useManualClock();
    const deadline = createDeadline({ timeoutMs: 100, mostPausedMs: 50, onTimeout: () => "late" });
    deadline.pause()();
    const first = deadline.pause();
    clock.advance(30);
    first();
    clock.advance(40);
    deadline.pause();
    clock.advance(20);
    deadline.pause();
    clock.advance(59);
    expect(deadline.signal.aborted).toBe(false);
    clock.advance(1);
    expect(deadline.signal.reason).toBe("late");
    expect(clock.pending()).toBe(0);
  });

  it("never fires after dispose, not even when a pause ends later", () => {
    const clock = useManualClock();
    const deadline = createDeadline({ timeoutMs: 100, onTimeout: () => "late" });
    const resume = deadline.pause();
    deadline.dispose();
    resume();
    clock.advance(1000);
    expect(deadline.signal.aborted).toBe(false);
    expect(clock.pending()).toBe(0);
  });
});
