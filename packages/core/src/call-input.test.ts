import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { assertCallOptions, readCallArguments } from "./call-input.ts";
import type { CallOptions } from "./connection.ts";

class User {
  readonly principal = "ada";
}
const origin = { serverId: "files", toolName: "read", qualifiedName: "mcp::files::read" };

describe("assertCallOptions()", () => {
  it("takes every option there is, and undefined for each", () => {
    const { signal } = new AbortController();
    const everything = {
      principal: "ada",
      role: "reader",
      conversation: "c1",
      correlationId: "c2",
      causationId: undefined,
      idempotencyKey: "k",
      approval: "t",
    };
    expect(() =>
      assertCallOptions({ signal, timeoutMs: 86_400_000, meta: {}, context: everything, onProgress() {} }),
    ).not.toThrow();
    expect(() =>
      assertCallOptions({
        signal: undefined,
        timeoutMs: undefined,
        meta: undefined,
        context: undefined,
        onProgress: undefined,
      }),
    ).not.toThrow();
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["an unknown option", { timeout: 5 }, 'a call has no option "timeout"; known are signal, timeoutMs'],
    [
      "a time without end",
      { timeoutMs: Number.POSITIVE_INFINITY },
      "timeoutMs must be a number above 0, at most 86400000",
    ],
    ["more than a day", { timeoutMs: 86_400_001 }, "timeoutMs must be"],
    ["no number", { timeoutMs: Number.NaN }, "timeoutMs must be"],
    ["no time", { timeoutMs: 0 }, "timeoutMs must be"],
    ["a text", { timeoutMs: "5" }, "timeoutMs must be"],
    ["a controller for a signal", { signal: new AbortController() }, "signal must be an AbortSignal"],
    ["null for a signal", { signal: null }, "signal must be an AbortSignal"],
    ["a text for meta", { meta: "x" }, "meta must be an object"],
    ["a text for the context", { context: "ada" }, "context must be an object"],
    [
      "an unknown member of the context",
      { context: { principal: "ada", user: "ada" } },
      'a context has no member "user"; known are principal, role, conversation, correlationId, causationId, idempotencyKey, approval',
    ],
    ["a number in the context", { context: { role: 1 } }, "context.role must be a text that is not empty"],
    ["nobody in the context", { context: { principal: "" } }, "context.principal must be a text that is not empty"],
    ["an object for a callback", { onProgress: {} }, "onProgress must be a function"],
    ["a name for a definition", { selected: "x" }, "selected must be a definition"],
    ["a Map for meta", { meta: new Map() }, "meta must be an object"],
    ["a Map for the context", { context: new Map([["principal", "ada"]]) }, "context must be an object, not a Map"],
    ["a class for the context", { context: new User() }, "context must be an object, not a User"],
    ["a Map for a definition", { selected: new Map() }, "selected must be a definition"],
    ["a Map for all of it", new Map([["timeoutMs", 5]]), "a call takes its options as an object, not a Map"],
    ["a list for all of it", [], "a call takes its options as an object, not an array"],
    ["a number for all of it", 5000, "a call takes its options as an object"],
    ["null for all of it", null, "a call takes its options as an object"],
  ];
  it.each(wrong)("throws a TypeError that names it: %s", (_, options, message) => {
    // What a caller without types hands over.
    expect(() => assertCallOptions(options as CallOptions)).toThrow(TypeError);
    expect(() => assertCallOptions(options as CallOptions)).toThrow(message);
  });
});

describe("readCallArguments()", () => {
  it("takes objects as they are, whoever made them, and nothing as {}", () => {
    class Point {
      readonly x = 1;
    }
    const bare: unknown = Object.create(null);
    const foreign: unknown = runInNewContext("({ a: 1 })");
    for (const args of [{ a: 1 }, new Point(), bare, foreign]) expect(readCallArguments(args, origin)).toBe(args);
    expect(readCallArguments(undefined, origin)).toEqual({});
    expect(readCallArguments(null, origin)).toEqual({});
  });

  const wrong: readonly (readonly [string, unknown])[] = [
    ["a string; parse the model's JSON text first", "{}"],
    ["an array", []],
    ["a Map", new Map()],
    ["a Set", new Set()],
    ["a Date", new Date(0)],
    ["a Promise", Promise.resolve({})],
    ["a Uint8Array", new Uint8Array(1)],
    ["a number", 1],
    ["a boolean", true],
    ["a function", () => ({})],
  ];
  it.each(wrong)("throws invalid_arguments for %s", (kind, args) => {
    expect(() => readCallArguments(args, origin)).toThrow(
      expect.objectContaining({
        code: "invalid_arguments",
        message: `[invalid_arguments] tool "read" on "files" expects JSON object arguments, not ${kind}`,
      }),
    );
  });

  it("names no server where there is none", () => {
    expect(() => readCallArguments(1, { ...origin, serverId: "" })).toThrow(
      'tool "read" expects JSON object arguments, not a number',
    );
  });
});
