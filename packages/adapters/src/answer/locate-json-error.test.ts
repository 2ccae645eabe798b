import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locateJsonError } from "./locate-json-error.ts";

describe("locateJsonError()", () => {
  it.each([
    ["", 1, 1, "a value"],
    ["{", 1, 2, "a name in double quotes or }"],
    ['{"a":1,}', 1, 8, "a name in double quotes"],
    ['{"a" 1}', 1, 6, "a colon"],
    ['{\n  "a": 1\n  "b": 2}', 3, 3, "a comma or the end"],
    ["{a: 1}", 1, 2, "a name in double quotes or }"],
    ["[1 2]", 1, 4, "a comma or the end"],
    ["[1,]", 1, 4, "a value"],
    ["[1}", 1, 3, "a comma or the end"],
    ["{} {}", 1, 4, "nothing more"],
    ['{"a": "b\nc"}', 1, 9, "the rest of a text, with what must be escaped"],
    ['{"a": "\\x"}', 1, 8, "the rest of a text, with what must be escaped"],
    ['{"a": "b', 1, 9, "a value"],
    ["{'a': 1}", 1, 2, "a name in double quotes or }"],
    ["01", 1, 2, "nothing more"],
  ])("finds where %j ends being JSON", (text, ...[line, column, expected]) => {
    expect(locateJsonError(text)).toEqual({ line, column, expected });
  });

  it("agrees with JSON.parse on what is JSON", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"\\u00e9"',
      "1",
      "-0.5e+3",
      "true",
      "null",
      " ",
      "\n",
      "x",
      '"',
      "\\",
    );
    const texts = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.array(pieces, { maxLength: 8 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect({ text, valid: locateJsonError(text) === undefined }).toEqual({ text, valid: isJson(text) });
      }),
      { numRuns: 200 },
    );
  });

  it("takes time that is linear in a text, however deep it is nested", () => {
    expect(locateJsonError("[".repeat(300_000))?.column).toBe(300_001);
    expect(locateJsonError(`"${"\\n".repeat(300_000)}`)?.column).toBe(600_002);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
