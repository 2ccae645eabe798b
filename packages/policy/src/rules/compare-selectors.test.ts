import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { selectorCovers, specificityOf } from "./compare-selectors.ts";
import { readSelector, type ReadSelector, type ToolSelector } from "./select-tools.ts";
import { toolEffects } from "../effects/worse-effect.ts";
import type { ToolSubject } from "./tool-subject.ts";

const names = ["", "a", "b", "ab", "ba", "aa", "A", "a_b", "a-b", "A-B", "_a", "1a"];
const globs = fc.constantFrom("*", "a", "b", "a*", "*b", "ab", "a_b", "*a*", "A-B", "1a");
const oneOrMore = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> =>
  fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));
const labels = ["scope:user", "scope:project", "scope:*", "trust:*", "trust:vendor"];

const selectors: fc.Arbitrary<ToolSelector> = fc.record(
  {
    server: oneOrMore(globs),
    tool: oneOrMore(globs),
    spelling: fc.constantFrom("exact" as const, "any" as const),
    labels: oneOrMore(fc.constantFrom(...labels)),
    effect: oneOrMore(fc.constantFrom(...toolEffects)),
  },
  { requiredKeys: [] },
);

const subjects: readonly ToolSubject[] = names.flatMap((serverId) =>
  names
    .slice(1)
    .flatMap((toolName) =>
      [{}, { scope: "user" }, { scope: "project", trust: "vendor" }].flatMap((own) =>
        (["pure", "external"] as const).map((effect) => ({ serverId, toolName, labels: own, effect })),
      ),
    ),
);

function read(selector: ToolSelector): ReadSelector | undefined {
  try {
    return readSelector(selector, "it");
  } catch {
    return undefined;
  }
}

describe("selectorCovers()", () => {
  test.prop([selectors, selectors], { numRuns: 400 })("is never wrong when it says yes", (one, other) => {
    const [wide, narrow] = [read(one), read(other)];
    fc.pre(wide !== undefined && narrow !== undefined);
    if (!selectorCovers(wide, narrow)) return;
    expect(subjects.filter((subject) => narrow.matches(subject) && !wide.matches(subject))).toEqual([]);
  });

  const known: readonly (readonly [what: string, wide: ToolSelector, narrow: ToolSelector, covers: boolean])[] = [
    ["a glob and a name", { tool: "delete_*" }, { server: "github", tool: "delete_repo" }, true],
    ["a name and a glob", { tool: "delete_repo" }, { tool: "delete_*" }, false],
    ["a server and one that begins like it", { server: "github" }, { server: "github_prod" }, false],
    ["everything and something", {}, { labels: "scope:project", effect: "pure" }, true],
    ["several and one of them", { tool: ["a", "b*"] }, { tool: "bc" }, true],
    ["one and several", { tool: "a" }, { tool: ["a", "b"] }, false],
    ["a label and none", { labels: "scope:*" }, {}, false],
    ["a label and a narrower one", { labels: "scope:*" }, { labels: ["scope:project", "trust:x"] }, true],
    ["every effect and none", { effect: [...toolEffects] }, {}, true],
    ["any spelling and an exact one", { tool: "a_b", spelling: "any" }, { tool: "A-B" }, true],
    ["an exact spelling and any", { tool: "a_b" }, { tool: "a_b", spelling: "any" }, false],
  ];
  it.each(known.map(([what, wide, narrow, covers]) => ({ what, wide, narrow, covers })))(
    "knows $what",
    ({ wide, narrow, covers }) => {
      expect(selectorCovers(readSelector(wide, "wide"), readSelector(narrow, "narrow"))).toBe(covers);
    },
  );
});

describe("specificityOf()", () => {
  it("puts a name before a glob, a longer glob before a shorter one, and a label before none", () => {
    const inOrder: readonly ToolSelector[] = [
      { server: "github", tool: "delete_repo" },
      { server: "github", tool: "delete_*" },
      { server: "github", tool: "del*" },
      { server: "github", labels: "scope:user" },
      { server: "github" },
      { tool: "del*" },
      { effect: "pure" },
      {},
    ];
    const found = inOrder.map((selector) => specificityOf(readSelector(selector, "it")));
    expect(found.toSorted((a, b) => compare(b, a))).toEqual(found);
    expect(new Set(found.map(String)).size).toBe(found.length);
  });
});

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((value, index) => value - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
