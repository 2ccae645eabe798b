import { describe, expect, it } from "vitest";
import { toolHint } from "./tool-hint.ts";

describe("toolHint()", () => {
  it("is the beginning of a description, at most 80 characters, in one line", () => {
    const long =
      "Creates an issue in a repository,\nwith a title, a body, labels and assignees, and gives back its number.";
    expect(toolHint({ description: long })).toBe(
      "Creates an issue in a repository, with a title, a body, labels and assignees,…",
    );
    expect(toolHint({ description: "  Creates one. " })).toBe("Creates one.");
  });

  it("cuts between characters, also where there is no blank, and never shows hidden ones", () => {
    const hint = toolHint({ description: "\u{1F600}".repeat(200) });
    expect([Array.from(hint).length, hint.isWellFormed()]).toEqual([80, true]);
    expect(toolHint({ description: "a\u202Eb\u0007c" }, 10)).toBe("abc");
    expect(toolHint({ description: "abc" }, 1)).toBe("…");
  });

  it("refuses a length that is none", () => {
    for (const length of [0, 1.5, Number.NaN]) expect(() => toolHint({ description: "" }, length)).toThrow(TypeError);
  });
});
