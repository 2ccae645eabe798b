import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import { matchGlob, meetsPrefix } from "./match-glob.ts";

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

describe("meetsPrefix()", () => {
  test.prop([glob, glob], { numRuns: 300 })("is true where the glob stands for some text that begins so", (a, b) => {
    const prefix = b.replaceAll("*", "");
    // A text that does so and is as short as it can be is no longer than both together.
    const meets = words.some((word) => word.startsWith(prefix) && matchGlob(a)(word));
    if (meets) expect(meetsPrefix(a, prefix)).toBe(true);
    else if (a.replaceAll("*", "").length + prefix.length <= 7) expect(meetsPrefix(a, prefix)).toBe(false);
  });
});
