import { describe, expect, it } from "vitest";
import { isJsonObject } from "./json.ts";

describe("isJsonObject()", () => {
  it.each([[{}], [{ a: 1 }], [JSON.parse('{"__proto__":1}')], [Object.create(null)]])("is true for %o", (value) => {
    expect(isJsonObject(value)).toBe(true);
  });

  it.each([[null], [undefined], [[]], ["{}"], [1], [true], [() => ({})]])("is false for %o", (value) => {
    expect(isJsonObject(value)).toBe(false);
  });
});
