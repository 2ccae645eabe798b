import { afterEach, expect, it, vi } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { runSoon } from "./clock.ts";

afterEach(() => vi.unstubAllGlobals());

it("runs a task when what is under way has had its turn, whatever the clock says", async () => {
  const events: string[] = [];
  setImmediate(() => events.push("under way"));
  await new Promise<void>((resolve) => {
    runSoon(() => {
      events.push("task");
      resolve();
    });
    events.push("asked");
  });
  expect(events).toEqual(["asked", "under way", "task"]);
});

it("runs nothing that was cancelled", async () => {
  const task = vi.fn<() => void>();
  runSoon(task)();
  await new Promise((resolve) => setImmediate(resolve));
  expect(task).not.toHaveBeenCalled();
});

it("goes by the clock in a runtime that has nothing sooner", () => {
  vi.stubGlobal("setImmediate", undefined);
  const clock = useManualClock();
  const task = vi.fn<() => void>();
  runSoon(task);
  runSoon(task)();
  clock.advance(0);
  expect(task).toHaveBeenCalledTimes(1);
});
