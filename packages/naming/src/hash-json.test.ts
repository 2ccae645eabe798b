import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@hostside/core";
import { canonicalJson } from "@hostside/core/implement";
import { hashJson } from "@hostside/naming";

describe("hashJson()", () => {
  it("is what the platform says of the canonical JSON, for any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = canonicalJson(value);
        expect(hashJson(value)).toBe(`sha256-${createHash("sha256").update(json).digest("hex")}`);
      }),
    );
  });

  it("does not depend on the order of members, and on nothing but the value", () => {
    expect(hashJson({ b: [1, { d: null, c: "\ud800" }], a: "é" })).toBe(
      hashJson({ a: "é", b: [1, { c: "\ud800", d: null }] }),
    );
    expect(hashJson({ a: undefined })).toBe(hashJson({}));
    // Of the two bytes `{}`: anybody can check it.
    expect(hashJson({})).toBe("sha256-44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(hashJson({ a: [] })).not.toBe(hashJson({ a: {} }));
  });

  it("refuses what is nested too deep to be written", () => {
    let value: JsonValue = {};
    for (let level = 0; level < 201; level += 1) value = [value];
    expect(() => hashJson(value)).toThrow("nested more than 200 deep");
  });
});
