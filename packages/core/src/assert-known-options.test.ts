import { describe, expect, it } from "vitest";
import { assertKnownOptions } from "./assert-known-options.ts";

const known = { quietMs: true, maxMs: true } as const;

describe("assertKnownOptions()", () => {
  it.each([[{}], [{ quietMs: 1 }], [{ maxMs: undefined, quietMs: 2 }], [Object.create({ inherited: 1 })]])(
    "accepts %o",
    (options) => {
      expect(() => assertKnownOptions("debounce", options, known)).not.toThrow();
    },
  );

  it.each<[string, object]>([
    ["quiteMs", { quietMs: 1, quiteMs: 2 }],
    ["quietms", { quietms: undefined }],
    ["toString", { toString: 1 }],
    ["__proto__", JSON.parse('{ "__proto__": 1 }')],
  ])("throws a TypeError that names %s and lists the known ones", (name, options) => {
    const check = (): void => assertKnownOptions("debounce", options, known);
    expect(check).toThrow(TypeError);
    expect(check).toThrow(`debounce has no option "${name}"; known are quietMs, maxMs`);
  });

  it.each([[null], [300], ["lazy"], [[]], [undefined]])("throws a TypeError for %o, which is no object", (options) => {
    const check = (): void => assertKnownOptions("debounce", options, known);
    expect(check).toThrow(TypeError);
    expect(check).toThrow("debounce takes its options as an object");
  });
});
