import { createDeadline, type Clock } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { createPausable } from "./pausable.ts";

describe("createPausable()", () => {
  it("stops all its deadlines during a pause, also those that join, and pauses may overlap", () => {
    let now = 0;
    const clock: Clock = { now: () => now, schedule: () => () => {} };
    const deadline = (): ReturnType<typeof createDeadline> =>
      createDeadline({ timeoutMs: 100, onTimeout: () => "late", clock });
    const group = createPausable();
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
});
