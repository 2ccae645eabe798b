import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStderrExcerpt } from "./stderr-excerpt.ts";

const everything = { first: 0, last: 1000 };

function excerptOf(maxBytes: number, ...chunks: string[]) {
  const excerpt = createStderrExcerpt(maxBytes);
  for (const chunk of chunks) excerpt.push(Buffer.from(chunk));
  return excerpt;
}

describe("createStderrExcerpt()", () => {
  it("gives the last lines that are not blank, oldest first", () => {
    const excerpt = excerptOf(100, "one\n\n  \ntwo\nth", "ree");
    expect(excerpt.lines({ first: 0, last: 2 })).toEqual(["two", "three"]);
    expect(excerpt.lines({ first: 0, last: 20 })).toEqual(["one", "two", "three"]);
  });

  it("gives the first lines, too, when they are asked for, and says where some are left out", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const text = `no access token was provided\n${lines.join("\n")}\n`;
    const whole = excerptOf(100_000, text);
    expect(whole.lines({ first: 2, last: 2 })).toEqual([
      "no access token was provided",
      "line 0",
      "…",
      "line 98",
      "line 99",
    ]);
    expect(whole.lines({ first: 1, last: 200 })).toEqual(text.trim().split("\n"));
    const forgetful = excerptOf(20, text);
    expect(forgetful.lines({ first: 1, last: 1 })).toEqual(["no access token was provided", "…", "line 99"]);
  });

  it("leaves out the rest of a word whose start was lost, because it may be half a secret", () => {
    expect(excerptOf(20, "password=hunter2secret is wrong").lines(everything)).toEqual([" is wrong"]);
  });

  it("keeps what stood before a line of megabytes, and of that line the beginning, without half a word", () => {
    const excerpt = excerptOf(
      65_536,
      "fatal: no database\n",
      `dump ${"x".repeat(5000)}`,
      `${"x".repeat(5_000_000)}\n`,
      "bye\n",
    );
    expect(excerpt.lines(everything)).toEqual(["fatal: no database", "dump …", "bye"]);
  });

  it("cuts no line of 4 KiB", () => {
    const line = "y".repeat(4096);
    expect(excerptOf(10_000, line, "\n", `${line}\nz`).lines(everything)).toEqual([line, line, "z"]);
    expect(excerptOf(10_000, `a ${line}`, "\nz").lines(everything)).toEqual(["a …", "z"]);
  });

  it("keeps the same however it comes", () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n"), minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (chunks, maxBytes) => {
        const all = chunks.join("");
        const kept = all.length <= maxBytes ? all : all.slice(-maxBytes).replace(/^\S+(?=\s)/, "");
        const expected = kept.split("\n").filter((line) => line.trim() !== "");
        const isOneWord = all.length > maxBytes && !/\s/.test(kept);
        expect(excerptOf(maxBytes, ...chunks).lines(everything)).toEqual(isOneWord ? [] : expected);
      }),
    );
    const longLines = fc.array(
      fc.record({ unit: fc.constantFrom("a ", "\n", "word\n"), count: fc.integer({ min: 1, max: 3000 }) }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(longLines, fc.array(fc.nat(12_000), { maxLength: 5 }), (parts, cuts) => {
        const all = parts.map(({ unit, count }) => unit.repeat(count)).join("");
        const places = [0, ...cuts.toSorted((a, b) => a - b), all.length];
        const pieces = places.map((place, index) => all.slice(places[index - 1] ?? 0, place));
        expect(excerptOf(100_000, ...pieces).lines(everything)).toEqual(excerptOf(100_000, all).lines(everything));
      }),
    );
  });
});
