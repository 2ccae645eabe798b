import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { cpuSecondsOf } from "../../../../test/cpu-seconds.ts";
import { createTextFinder, foldUnits, type FoundText } from "./find-text.ts";

// Few letters, so that queries are found; such with a case, two units, a line break, and the odd
// ones of folding.
const letters = fc.array(fc.constantFrom("a", "A", "b", "\n", "🦊", "İ", "Σ", "ς"), { maxLength: 60 });

function find(text: string, plan: { query: string; from?: number; maxMatches?: number }, partLength = 7): FoundText {
  const finder = createTextFinder({ from: 0, maxMatches: 100, ...plan });
  // As a decoder of UTF-8 gives it: never half a pair.
  const points = Array.from(text);
  for (let at = 0; at < points.length; at += partLength) {
    if (finder.read(points.slice(at, at + partLength).join(""))) break;
  }
  return finder.finish();
}

describe("createTextFinder()", () => {
  it("folds every character unit for unit", () => {
    const odd: string[] = [];
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const text = String.fromCodePoint(point);
      if (foldUnits(text).length !== text.length) odd.push(point.toString(16));
    }
    expect(odd).toEqual([]);
  });

  it("takes time in proportion to the text, also where each character is a match and there is no line break", async () => {
    const size = 1_000_000;
    const finder = createTextFinder({ query: "a", from: size, maxMatches: 10 });
    const text = "a".repeat(size);
    const seconds = await cpuSecondsOf(() => {
      finder.read(text);
      finder.finish();
    });
    expect(seconds).toBeLessThan(2);
  });

  test.prop(
    [
      letters,
      letters.filter((query) => query.length > 0),
      fc.record({ partLength: fc.integer({ min: 1, max: 20 }), from: fc.nat(30) }),
    ],
    {
      numRuns: 300,
    },
  )("finds every place, however the text is parted", (text, query, { partLength, from }) => {
    const points = text.map(foldUnits);
    const wanted = query.map(foldUnits).join("");
    const offsets: number[] = [];
    const lines: number[] = [];
    for (let at = 0; at < points.length;) {
      const isHere = points.slice(at).join("").startsWith(wanted);
      if (isHere && at >= from) {
        offsets.push(at);
        lines.push(text.slice(0, at).filter((letter) => letter === "\n").length + 1);
      }
      at += isHere ? query.length : 1;
    }
    const found = find(text.join(""), { query: query.join(""), from }, partLength);
    expect(found.matches.map(({ offset }) => offset)).toEqual(offsets);
    expect(found.matches.map(({ line }) => line)).toEqual(lines);
    expect(found.more).toBe(false);
  });

  it("shows what stands around a match in its line, and where the line goes on", () => {
    const long = "x".repeat(200);
    expect(find(`first\n${long}Here${long}\nlast`, { query: "here" }).matches).toEqual([
      { offset: 206, line: 2, text: `…${"x".repeat(80)}Here${"x".repeat(80)}…` },
    ]);
    expect(find("first\nit is here, too\nlast", { query: "HERE" }).matches[0]?.text).toBe("it is here, too");
    expect(find("🦊".repeat(100) + "here", { query: "here" }).matches[0]?.text).toBe(`…${"🦊".repeat(40)}here`);
  });

  it("stops at the most matches, and says that there are more only when there are", () => {
    expect(find("a-a-a", { query: "a", maxMatches: 2 })).toMatchObject({
      matches: [{ offset: 0 }, { offset: 2 }],
      more: true,
    });
    expect(find("a-a", { query: "a", maxMatches: 2 }).more).toBe(false);
    expect(find("a-a-a", { query: "a", from: 3, maxMatches: 2 })).toMatchObject({
      matches: [{ offset: 4 }],
      more: false,
    });
  });

  it("takes a query for plain text", () => {
    expect(find("a.b(c)*", { query: ".B(" }).matches).toMatchObject([{ offset: 1 }]);
    expect(find("aXb", { query: "a.b" }).matches).toEqual([]);
  });
});
