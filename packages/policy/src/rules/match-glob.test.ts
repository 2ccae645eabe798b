import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import { matchGlob } from "./match-glob.ts";

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
