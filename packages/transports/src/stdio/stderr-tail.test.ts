import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStderrTail } from "./stderr-tail.ts";

describe("createStderrTail()", () => {
  it("gives the last lines that are not blank, oldest first", () => {
    const tail = createStderrTail(100);
    tail.push(Buffer.from("one\n\n  \ntwo\nth"));
    tail.push(Buffer.from("ree"));
    expect(tail.lastLines(2)).toEqual(["two", "three"]);
    expect(tail.lastLines(20)).toEqual(["one", "two", "three"]);
  });

  it("leaves out the rest of a word whose start was lost, because it may be half a secret", () => {
    const tail = createStderrTail(20);
    tail.push(Buffer.from("password=hunter2secret is wrong"));
    expect(tail.lastLines(20)).toEqual([" is wrong"]);
  });

  it("keeps the same bytes however they come", () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n"), minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (chunks, maxBytes) => {
        const tail = createStderrTail(maxBytes);
        for (const chunk of chunks) tail.push(Buffer.from(chunk));
        const all = chunks.join("");
        const kept = all.length <= maxBytes ? all : all.slice(-maxBytes).replace(/^\S+(?=\s)/, "");
        const expected = kept.split("\n").filter((line) => line.trim() !== "");
        const isOneWord = all.length > maxBytes && !/\s/.test(kept);
        expect(tail.lastLines(1000)).toEqual(isOneWord ? [] : expected);
      }),
    );
  });
});
