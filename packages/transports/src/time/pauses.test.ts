import { expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { Pauses } from "./pauses.ts";

it("counts time that stands still once, also when pauses overlap, and only from then on", () => {
  const clock = useManualClock();
  const pauses = new Pauses();
  const begun = clock.now();
  clock.advance(10);
  const first = pauses.begin(undefined);
  clock.advance(50);
  const second = pauses.begin(undefined);
  const between = clock.now();
  clock.advance(50);
  first();
  first();
  clock.advance(100);
  expect([pauses.isPaused(undefined), pauses.msSince(begun, undefined)]).toEqual([true, 200]);
  second();
  clock.advance(5);
  expect([pauses.isPaused(undefined), pauses.msSince(begun, undefined)]).toEqual([false, 200]);
  expect([pauses.msSince(between, undefined), pauses.msSince(clock.now(), undefined)]).toEqual([150, 0]);
});

it("is that of the caller who is asked, and of requests without a caller", () => {
  const clock = useManualClock();
  const pauses = new Pauses();
  const begun = clock.now();
  const resume = pauses.begin({ conversation: "a" });
  clock.advance(10);
  // Of another user, a conversation of that name is another one.
  const callers = [{ conversation: "a" }, { principal: "b" }, { conversation: "a", principal: "b" }, undefined];
  expect(callers.map((caller) => pauses.isPaused(caller))).toEqual([true, false, false, true]);
  resume();
  pauses.begin(undefined)();
  clock.advance(10);
  expect(callers.map((caller) => pauses.msSince(begun, caller))).toEqual([10, 0, 0, 10]);
});

it("keeps the latest of a thousand pauses", () => {
  const clock = useManualClock();
  const pauses = new Pauses();
  const begun = clock.now();
  for (let n = 0; n < 5000; n += 1) {
    const resume = pauses.begin(undefined);
    clock.advance(1);
    resume();
  }
  expect(pauses.msSince(begun, undefined)).toBeGreaterThanOrEqual(500);
});
