import { describe, expect, it } from "vitest";
import { resultWithin, settleWithin } from "./waiting.ts";
import { useManualClock } from "../../../test/manual-clock.ts";

const never = new Promise<never>(() => undefined);

describe("settleWithin()", () => {
  it("resolves with work that fails, and leaves no timer", async () => {
    const clock = useManualClock();
    await expect(settleWithin(Promise.reject(new Error("no")), 10)).resolves.toBeUndefined();
    expect(clock.pending()).toBe(0);
  });

  it("resolves when the time is up", async () => {
    const clock = useManualClock();
    const settled = settleWithin(never, 10);
    clock.advance(10);
    await expect(settled).resolves.toBeUndefined();
  });
});

describe("resultWithin()", () => {
  it("is what the work comes to, or its failure, and leaves no timer", async () => {
    const clock = useManualClock();
    await expect(resultWithin(Promise.resolve(7), 10)).resolves.toBe(7);
    await expect(resultWithin(Promise.reject(new Error("no")), 10)).rejects.toThrow("no");
    expect(clock.pending()).toBe(0);
  });

  it("is undefined when the time is up", async () => {
    const clock = useManualClock();
    const result = resultWithin(never, 10);
    clock.advance(10);
    await expect(result).resolves.toBeUndefined();
  });
});
