import { expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createActiveClock } from "./active-clock.ts";

it("stands still while paused, also when pauses overlap, and goes on from there", () => {
  const clock = useManualClock();
  const active = createActiveClock();
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

it("has a time for each conversation, which stands still without the others, and the same one while somebody goes by it", () => {
  const clock = useManualClock();
  const clocks = createActiveClock();
  const [a, b] = [clocks.of({ conversation: "a" }), clocks.of({ principal: "b" })];
  // Of another user, a conversation of that name is another one.
  expect(clocks.of({ conversation: "a", principal: "b" })).not.toBe(a);
  expect(clocks.of(undefined).now()).toBe(0);
  a.enter();
  const resume = a.pause();
  clock.advance(10);
  expect([a, b, clocks].map((each) => each.now())).toEqual([0, 10, 0]);
  expect([a, b, clocks].map((each) => each.isPaused)).toEqual([true, false, true]);
  resume();
  clocks.pause()();
  clock.advance(5);
  expect([a, b, clocks].map((each) => each.now())).toEqual([5, 15, 5]);
  for (let other = 0; other < 2500; other += 1) clocks.of({ conversation: `other ${other}` });
  expect(clocks.of({ conversation: "a" })).toBe(a);
  a.leave();
  for (let other = 0; other < 2500; other += 1) clocks.of({ conversation: `another ${other}` });
  expect(clocks.of({ conversation: "a" })).not.toBe(a);
});
