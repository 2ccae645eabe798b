import { describe, expect, it } from "vitest";
import { describeSignature } from "./describe-signature.ts";

const text = { type: "string" } as const;

describe("describeSignature()", () => {
  it.each([
    [{ type: "object" }, "t()"],
    [
      { type: "object", properties: { a: text, b: { type: "integer" } }, required: ["b"] },
      "t({ a?: string; b: number })",
    ],
    [{ type: "object", properties: { "x-y": { enum: ["a", 1, null] } } }, 't({ "x-y"?: "a" | 1 | null })'],
    [
      { type: "object", properties: { a: { type: "array", items: { type: ["string", "null"] } } } },
      "t({ a?: (string | null)[] })",
    ],
    [{ type: "object", properties: { a: { type: "object", properties: { b: {} } } } }, "t({ a?: { b?: unknown } })"],
    [{ type: "object", properties: { "\u001B[2J\u202Ea": text } }, String.raw`t({ "\u001b[2Ja"?: string })`],
  ])("says %j as %s", (inputSchema, signature) => {
    expect(describeSignature("t", { inputSchema })).toBe(signature);
  });

  it("says what comes back", () => {
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    expect(describeSignature("t", { inputSchema: { type: "object" }, outputSchema })).toBe("t(): { n: number }");
  });

  const many = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`p${at}`, text]));
  let deep: object = text;
  for (let depth = 0; depth < 10_000; depth += 1) deep = { type: "array", items: deep };
  it.each([
    ["a reference", { type: "object", properties: { a: { $ref: "#" } } }],
    ["many properties", { type: "object", properties: many }],
    ["depth", { type: "object", properties: { a: deep } }],
    ["length", { type: "object", properties: { ["a".repeat(400)]: text } }],
    ["no schema at all", { type: "object", properties: "yes" }],
  ])("keeps silent about %s", (_, inputSchema) => {
    expect(describeSignature("t", { inputSchema: inputSchema as never })).toBeUndefined();
  });
});
