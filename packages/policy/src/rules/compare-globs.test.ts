import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { globCovers, globsMeet } from "./compare-globs.ts";
import { matchGlob } from "./match-glob.ts";

// Few letters, so that they often agree.
const glob = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
const words = allWords(["a", "b", "c"], 7);

function allWords(letters: readonly string[], longest: number): readonly string[] {
  let words = [""];
  const all = [""];
  for (let length = 1; length <= longest; length += 1) {
    words = words.flatMap((word) => letters.map((letter) => word + letter));
    all.push(...words);
  }
  return all;
}

const common = (a: string, b: string): readonly string[] =>
  words.filter((word) => matchGlob(a)(word) && matchGlob(b)(word));

describe("globsMeet()", () => {
  test.prop([glob, glob], { numRuns: 300 })("is true where some text is one that both stand for", (a, b) => {
    // Two globs of at most six characters that meet do so in a text that is no longer than both
    // together.
    if (common(a, b).length > 0) expect(globsMeet(a, b)).toBe(true);
    else if (a.replaceAll("*", "").length + b.replaceAll("*", "").length <= 7) expect(globsMeet(a, b)).toBe(false);
    expect(globsMeet(a, b)).toBe(globsMeet(b, a));
  });
});

describe("globCovers()", () => {
  test.prop([glob, glob], { numRuns: 300 })(
    "is true where every text of the one is a text of the other",
    (wide, narrow) => {
      const strays = words.filter((word) => matchGlob(narrow)(word) && !matchGlob(wide)(word));
      if (globCovers(wide, narrow)) expect(strays).toEqual([]);
      else if (narrow.replaceAll("*", "c").length <= 7) expect(strays).not.toEqual([]);
    },
  );

  it("takes a character of the private use area for what it is", () => {
    expect(globCovers("\ue000", "*")).toBe(false);
    expect(globCovers("*\ue000*", "\ue000*")).toBe(true);
  });
});
