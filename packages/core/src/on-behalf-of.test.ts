import { expect, it } from "vitest";
import { onBehalfOf } from "./call-input.ts";

it("leaves options that are frozen as they are", () => {
  const { signal } = new AbortController();
  const given = Object.freeze({ signal, timeoutMs: 1000, context: { role: "r" } });
  expect(onBehalfOf("ann", given)).toEqual({ signal, timeoutMs: 1000, context: { role: "r", principal: "ann" } });
  expect(given.context).toEqual({ role: "r" });
});

it("hands on the same object where nothing is to be added", () => {
  for (const [principal, options] of [
    [undefined, { context: {} }],
    ["ann", { context: { principal: "bob" } }],
  ] as const)
    expect(onBehalfOf(principal, options)).toBe(options);
});
