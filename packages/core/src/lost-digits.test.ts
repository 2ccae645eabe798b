import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLostDigits } from "./lost-digits.ts";

describe("findLostDigits()", () => {
  it("finds every integer of a JSON text that is another one when it is parsed", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), (id) => {
        const parsed = JSON.parse(`{"a":[{"b/c":${id}}]}`) as { readonly a: readonly { readonly "b/c": number }[] };
        const isKept = BigInt(parsed.a[0]?.["b/c"] ?? 0) === id && id < 2n ** 53n && id > -(2n ** 53n);
        expect(findLostDigits(parsed)).toBe(isKept ? undefined : "/a/0/b~1c");
      }),
    );
  });

  it.each([1, -1.5, 0.1, 2 ** 53 - 1, 6.022e23, -1e30, "1915883588174806058", null, {}])("takes %j", (value) => {
    expect(findLostDigits({ value })).toBeUndefined();
  });

  it("finds what is not finite, and ends with data that holds itself", () => {
    expect(findLostDigits(JSON.parse('{"a":1e999}'))).toBe("/a");
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    expect(findLostDigits(ring)).toBeUndefined();
  });
});
