import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { assertKnownOptions } from "./options.ts";

const known = { quietMs: true, maxMs: true } as const;

describe("assertKnownOptions()", () => {
  it.each([
    [{}],
    [{ quietMs: 1 }],
    [{ maxMs: undefined, quietMs: 2 }],
    [Object.create({ inherited: 1 })],
    [Object.create(null)],
    [runInNewContext("({})")],
  ])("accepts %o", (options) => {
    expect(() => assertKnownOptions("debounce", options, known)).not.toThrow();
  });

  it.each<[string, object]>([
    ["quiteMs", { quietMs: 1, quiteMs: 2 }],
    ["quietms", { quietms: undefined }],
  ])("throws a TypeError that names %s and the one that may be meant", (name, options) => {
    const check = (): void => assertKnownOptions("debounce", options, known);
    expect(check).toThrow(TypeError);
    expect(check).toThrow(`debounce has no option "${name}"; did you mean quietMs?`);
  });

  it.each<[string, object]>([
    ["toString", { toString: 1 }],
    ["__proto__", JSON.parse('{ "__proto__": 1 }')],
  ])("throws a TypeError that names %s and lists the known ones", (name, options) => {
    const check = (): void => assertKnownOptions("debounce", options, known);
    expect(check).toThrow(TypeError);
    expect(check).toThrow(`debounce has no option "${name}"; known are quietMs, maxMs`);
  });

  class Settings {
    readonly quietMs = 1;
  }
  it.each<[string, unknown]>([
    ["null", null],
    ["a number", 300],
    ["a string", "lazy"],
    ["a boolean", true],
    ["a function", () => ({})],
    ["an array", []],
    ["undefined", undefined],
    ["a Map", new Map([["quietMs", 1]])],
    ["a Set", new Set()],
    ["a Date", new Date(0)],
    ["an Error", new Error("x")],
    ["a Promise", Promise.resolve({})],
    ["a URLSearchParams", new URLSearchParams("quietMs=1")],
    ["a Settings", new Settings()],
    ["a Settings", Object.create(Settings.prototype)],
  ])("throws a TypeError for %s, of which nothing would be read", (kind, options) => {
    const check = (): void => assertKnownOptions("debounce", options, known);
    expect(check).toThrow(TypeError);
    expect(check).toThrow(new RegExp(`^debounce takes its options as an object, not ${kind}$`));
  });
});
