import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, sameJson } from "./json.ts";

describe("canonicalJson()", () => {
  it("is the same for two values exactly if they mean the same, and reads back as the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const json = canonicalJson(a);
        expect(sameJson(JSON.parse(json), a)).toBe(true);
        expect(json === canonicalJson(b)).toBe(sameJson(a, b));
      }),
    );
  });

  it("orders members by UTF-16 units, also those that every object inherits (RFC 8785, 3.2.3)", () => {
    const value = JSON.parse(
      '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7,"__proto__":8}',
    );
    expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"__proto__":8,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}');
  });

  it("writes numbers as JSON does, without a second zero", () => {
    expect(canonicalJson([-0, 1e21, 0.1])).toBe("[0,1e+21,0.1]");
  });
});
