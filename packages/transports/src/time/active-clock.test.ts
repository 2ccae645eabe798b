import { expect, it } from "vitest";
import { createManualClock } from "../../test/manual-clock.ts";
import { createActiveClock } from "./active-clock.ts";

it("stands still while paused, also when pauses overlap, and goes on from there", () => {
  const clock = createManualClock();
  const active = createActiveClock(clock);
  clock.advance(10);
  const first = active.pause();
  const second = active.pause();
  clock.advance(100);
  first();
  first();
  clock.advance(100);
  expect(active.now()).toBe(10);
  second();
  clock.advance(5);
  expect(active.now()).toBe(15);
});
