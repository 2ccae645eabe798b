import type { CallOptions } from "./call-options.ts";
import { systemClock } from "./clock.ts";
import { createDeadline } from "./deadline.ts";
import { lenderOf, withSignalOfDeadline } from "./lazy-signal.ts";
import { expect, it } from "vitest";
import { onBehalfOf } from "./on-behalf-of.ts";

it("leaves a signal that is lent unmade, and options that are frozen as they are", () => {
  const deadline = createDeadline({ timeoutMs: 1000, clock: systemClock, onTimeout: () => new Error("late") });
  const lent: CallOptions = withSignalOfDeadline({ deadline, timeoutMs: 1000, context: { role: "r" } });
  const options = onBehalfOf("ann", Object.freeze(lent));
  expect(lenderOf(options)).toBe(deadline);
  expect([options.timeoutMs, options.context]).toEqual([1000, { role: "r", principal: "ann" }]);
  expect(lent.context).toEqual({ role: "r" });
  expect(options.signal).toBe(deadline.stop.signal);
  deadline.dispose();
});

it("hands on the same object where nothing is to be added", () => {
  for (const [principal, options] of [
    [undefined, { context: {} }],
    ["ann", { context: { principal: "bob" } }],
  ] as const)
    expect(onBehalfOf(principal, options)).toBe(options);
});
