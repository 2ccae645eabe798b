import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { indexText, rangeOfCharacters, takeCharacters } from "./text-index.ts";

const encoder = new TextEncoder();
const decode = (data: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);

function slice(data: Uint8Array, start: number, end: number): string {
  const { offset, length, skip } = rangeOfCharacters(indexText(data), data.length, { start, end });
  const read = data.slice(offset, offset + length);
  return decode(takeCharacters(read, skip, { count: end - start, maxBytes: 1_000_000 }).data);
}

describe("indexText()", () => {
  const points = Array.from("äö🦊x".repeat(3000));
  const data = encoder.encode(points.join(""));

  test.prop([fc.nat(points.length), fc.nat(9000)], { numRuns: 100 })(
    "finds any characters by reading little more than them",
    (start, count) => {
      const end = Math.min(points.length, start + count);
      expect(slice(data, start, end)).toBe(points.slice(start, end).join(""));
      const { length } = rangeOfCharacters(indexText(data), data.length, { start, end });
      expect(length).toBeLessThanOrEqual((end - start + 2 * 4096) * 4);
    },
  );

  it("needs no marks for ASCII", () => {
    expect(indexText(encoder.encode("plain"))).toEqual({ characters: 5, stride: 0, marks: [] });
    expect(slice(encoder.encode("plain"), 1, 3)).toBe("la");
  });

  it("stays small for a large text", () => {
    const large = encoder.encode("ä".repeat(4_300_000));
    const { characters, marks } = indexText(large);
    expect(characters).toBe(4_300_000);
    expect(marks.length).toBeLessThanOrEqual(1024);
    expect(slice(large, 4_299_998, 4_300_000)).toBe("ää");
  });

  it("takes no part of a character that does not fit", () => {
    const fox = encoder.encode("a🦊b");
    expect(takeCharacters(fox, 0, { count: 3, maxBytes: 4 })).toMatchObject({ characters: 1 });
    expect(takeCharacters(fox, 1, { count: 3, maxBytes: 4 })).toMatchObject({
      characters: 1,
      data: encoder.encode("🦊"),
    });
  });
});
