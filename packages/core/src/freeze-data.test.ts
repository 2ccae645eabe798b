import { describe, expect, it } from "vitest";
import { freezeData } from "./json.ts";

describe("freezeData()", () => {
  it("freezes every object and array of a value, which stays the same object", () => {
    const value = { a: [{ b: { c: 1 } }, "x"], d: null };
    expect(freezeData(value)).toBe(value);
    for (const part of [value, value.a, value.a[0], (value.a[0] as { b: object }).b]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("takes what is no object as it is", () => {
    for (const value of [1, "x", null, undefined, true]) expect(freezeData(value)).toBe(value);
  });

  it("ends with a value that holds itself, and with one that is nested deeper than a stack", () => {
    const round: { self?: unknown } = {};
    round.self = round;
    expect(Object.isFrozen(freezeData(round))).toBe(true);
    let deep: unknown = {};
    const innermost = deep;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    freezeData(deep);
    expect(Object.isFrozen(innermost)).toBe(true);
  });
});
