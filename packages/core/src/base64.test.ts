import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../test/property-test.ts";
import { bytesOf, checkBase64 } from "./content-block.ts";

const bytes = fc.uint8Array({ maxLength: 40 });
const spelling = fc.record({
  alphabet: fc.constantFrom("base64", "base64url"),
  before: fc.constantFrom("", "data:image/png;charset=x;base64,"),
});
const blanks = fc.constantFrom("", "\n", "\r\n", " ", "\t");

describe("checkBase64()", () => {
  test.prop([fc.uint8Array({ minLength: 1, maxLength: 40 }), blanks, spelling], { numRuns: 60 })(
    "brings any spelling of base64 into the standard one",
    (data, blank, { alphabet, before }) => {
      const standard = Buffer.from(data).toString("base64");
      const spelled = Buffer.from(data).toString(alphabet).replaceAll(/.{4}/g, `$&${blank}`);
      const checked = checkBase64(before + spelled);
      expect(checked).toEqual({ kind: "good", data: standard, bytes: data.length });
      expect(bytesOf(standard, 0, 12)).toEqual(Array.from(data.slice(0, 12)));
    },
  );

  test.prop([fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), fc.stringMatching(/^[A-Za-z0-9+/=]{0,12}$/))], {
    numRuns: 150,
  })("calls nothing good that a strict decoder would refuse", (text) => {
    const checked = checkBase64(text);
    if (checked.kind === "bad") return;
    expect(Buffer.from(checked.data, "base64").toString("base64")).toBe(checked.data);
    expect(checked.bytes).toBe(Buffer.from(checked.data, "base64").length);
    expect(checked.bytes).toBeGreaterThan(0);
  });

  it.each([
    ["", "it is empty"],
    ["AAAAA", "it cannot be decoded"],
    ["AA=", "it cannot be decoded"],
    ["AAAA=", "it cannot be decoded"],
    ["AAé=", "it cannot be decoded"],
    ["A=AA", "it cannot be decoded"],
    ["data:image/png,AAAA", "it cannot be decoded"],
  ])("says what is wrong with %j", (text, problem) => {
    expect(checkBase64(text)).toEqual({ kind: "bad", problem });
  });
});

describe("bytesOf()", () => {
  test.prop([bytes, fc.nat(45), fc.nat(5)], { numRuns: 50 })(
    "decodes some bytes, from any place",
    (data, start, count) => {
      const found = bytesOf(Buffer.from(data).toString("base64"), start, count);
      expect(found).toEqual(Array.from(data.slice(start, start + count)));
    },
  );
});
