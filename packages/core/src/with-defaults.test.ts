import { describe, expect, it } from "vitest";
import { withDefaults } from "./options.ts";

describe("withDefaults()", () => {
  it("puts what is given over the default, and nothing over what is undefined or absent", () => {
    const defaults: { a: number; b: number; c: number } = { a: 1, b: 2, c: 3 };
    expect(withDefaults(defaults, { a: 10, b: undefined })).toEqual({ a: 10, b: 2, c: 3 });
    expect(withDefaults(defaults, undefined)).toEqual(defaults);
    expect(withDefaults(defaults, {})).not.toBe(defaults);
  });

  it("takes 0, false, null and the empty string as given", () => {
    const defaults: { a: unknown; b: unknown; c: unknown; d: unknown } = { a: 1, b: 1, c: 1, d: 1 };
    const given = { a: 0, b: false, c: null, d: "" };
    expect(withDefaults(defaults, given)).toEqual(given);
  });

  it("takes over optional members that have no default", () => {
    const defaults: { a: number; b?: number } = { a: 1 };
    expect(withDefaults(defaults, { b: 2 })).toEqual({ a: 1, b: 2 });
    expect("b" in withDefaults(defaults, { b: undefined })).toBe(false);
  });
});
