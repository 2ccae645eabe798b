import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { findLine } from "./find-line.ts";

const text = `{
  "a": "x: {[,",
  "tools": [
    { "name": "\\"tools\\"" },

    { "name": "two",
      "tools": [] }
  ]
}`;

describe("findLine()", () => {
  it.each<[(string | number)[], number]>([
    [[], 1],
    [["a"], 2],
    [["tools"], 3],
    [["tools", 0], 4],
    [["tools", 0, "name"], 4],
    [["tools", 1], 6],
    [["tools", 1, "tools"], 7],
    [["tools", 2], 3],
    [["b"], 1],
  ])("finds %j on line %i", (path, line) => {
    expect(findLine(text, path)).toBe(line);
  });

  test.prop([fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), fc.string({ minLength: 1 })])(
    "finds a member by its name, whatever stands before it",
    (before, name) => {
      fc.pre(!Object.hasOwn(before, name) && !/^\d+$/.test(name) && name !== "__proto__");
      const lines = JSON.stringify({ ...before, [name]: 1 }, null, 1).split("\n");
      expect(findLine(lines.join("\n"), [name])).toBe(lines.length - 1);
    },
  );
});
