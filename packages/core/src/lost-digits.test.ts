import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findLostDigits, findLostNumber, rememberDigits } from "./lost-digits.ts";

describe("findLostDigits()", () => {
  it("finds every integer of a JSON text that is another one when it is parsed", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), (id) => {
        const parsed = JSON.parse(`{"a":[{"b/c":${id}}]}`) as { readonly a: readonly { readonly "b/c": number }[] };
        const isKept = BigInt(parsed.a[0]?.["b/c"] ?? 0) === id && id < 2n ** 53n && id > -(2n ** 53n);
        expect(findLostDigits(parsed)).toEqual(isKept ? undefined : { path: "/a/0/b~1c" });
      }),
    );
  });

  it.each([1, -1.5, 0.1, 2 ** 53 - 1, 6.022e23, -1e30, "1915883588174806058", null, {}])("takes %j", (value) => {
    expect(findLostDigits({ value })).toBeUndefined();
  });

  it("finds what is not finite, and ends with data that holds itself", () => {
    expect(findLostDigits(JSON.parse('{"a":1e999}'))).toEqual({ path: "/a" });
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    expect(findLostDigits(ring)).toBeUndefined();
  });

  it("goes by the text of data where that is known", () => {
    for (const text of ["[1700000000000000000]", "[0.1234567890123456789]"]) {
      const data = JSON.parse(text) as object;
      const lost = findLostNumber(text);
      rememberDigits(data, lost);
      expect(findLostDigits(data)).toEqual(lost);
    }
  });
});

describe("findLostNumber()", () => {
  it.each([
    "9007199254740993",
    "1915883588174806058",
    "-1915883588174806058",
    "1000000000000000000000000000001",
    "0.12345678901234567891",
    "3.14159265358979323846",
    "1e999",
    "-1e400",
    "1e-400",
    "123456789012345678e-3",
  ])("finds %s", (digits) => {
    const text = `{ "a\\"b" : [ {}, [], {"x":"12345678901234567890"}, { "b/c~\\n" : ${digits} , "d": 1 } ] }`;
    expect(findLostNumber(text)).toEqual({ path: '/a"b/3/b~1c~0\n', digits });
    expect(findLostNumber(digits)).toEqual({ path: "", digits });
  });

  it.each([
    "0",
    "-0",
    "-0.0e999",
    "9007199254740992",
    "1700000000000000000",
    "1000000000000000000000000000000",
    "6.02214076e23",
    "0.30000000000000004",
    "1.00000000000000000000",
    "100e-2",
    "1E+21",
    "5e-324",
    "1.7976931348623157e308",
  ])("takes %s", (digits) => {
    expect(findLostNumber(`[{"a":${digits}},"12345678901234567890"]`)).toBeUndefined();
  });

  it("takes every number that JSON.stringify() writes", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), number), (value) => {
        expect(findLostNumber(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });

  it("looks into one member only, by path", () => {
    const big = "12345678901234567890";
    const text = `{"other":${big},"list":[${big}],"re\\u0073ult":{"x":${big},"data":{"list":[0,${big}]}}}`;
    expect(findLostNumber(text)).toEqual({ path: "/other", digits: big });
    expect(findLostNumber(text, ["result", "data"])).toEqual({ path: "/list/1", digits: big });
    expect(findLostNumber(text, ["result", "none"])).toBeUndefined();
  });
});
