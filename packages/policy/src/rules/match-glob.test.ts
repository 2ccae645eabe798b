import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import { globsMeet, matchGlob } from "./match-glob.ts";

const letters = fc.constantFrom("a", "b", ".", "*");

describe("matchGlob()", () => {
  test.prop([fc.string({ unit: letters, maxLength: 8 }), fc.string({ unit: letters, maxLength: 8 })], {
    numRuns: 1000,
  })("matches what a regular expression would", (glob, text) => {
    const parts = glob.split("*").map((part) => part.replaceAll(".", "\\."));
    expect(matchGlob(glob)(text)).toBe(new RegExp(`^${parts.join("[^]*")}$`, "u").test(text));
  });

  it("does not take a prefix for the whole", () => {
    expect(matchGlob("github")("github_prod")).toBe(false);
    expect(matchGlob("github")("Github")).toBe(false);
  });

  it("answers at once for a text that would hold up a regular expression", async () => {
    const matches = matchGlob("*a*a*a*a*a*a*b");
    const text = "a".repeat(100_000);
    expect(await cpuSecondsOf(() => expect(matches(text)).toBe(false))).toBeLessThan(5);
  });
});

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
