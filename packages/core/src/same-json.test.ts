import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameJson } from "./json.ts";

describe("sameJson()", () => {
  it("is true for a copy, whatever the order of its members, and agrees with JSON otherwise", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(sameJson(a, reversed(a))).toBe(true);
        expect(sameJson(a, b)).toBe(sorted(a) === sorted(b));
      }),
    );
  });

  it.each<[unknown, unknown, boolean]>([
    [{ a: undefined }, {}, true],
    [{ a: undefined }, { b: undefined }, true],
    [{ a: null }, {}, false],
    [{ toString: 1 }, {}, false],
    [{}, { toString: 1 }, false],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":2}}'), false],
    [JSON.parse('{"__proto__":{"a":1}}'), {}, false],
    [[], {}, false],
    [[1], { 0: 1, length: 1 }, false],
    [0, -0, true],
    ["1", 1, false],
  ])("%j and %j: %s", (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
    expect(sameJson(b, a)).toBe(same);
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(Object.is(value, -0) ? 0 : value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${sorted(member)}`)
    .sort()
    .join()}}`;
}
