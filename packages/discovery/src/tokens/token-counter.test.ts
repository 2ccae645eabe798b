import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../test/property-test.ts";
import { estimateDefinitionTokens, estimateTokens } from "./token-counter.ts";

describe("estimateTokens()", () => {
  it("is 0 for nothing and about one per common word", () => {
    expect(estimateTokens("")).toBe(0);
    expect(Math.abs(estimateTokens("Create a new issue in a repository.") - 8)).toBeLessThanOrEqual(1);
  });

  test.prop([fc.string({ unit: "binary" }), fc.string({ unit: "binary" })])(
    "is a whole number that never shrinks when text is added",
    (a, b) => {
      const tokens = estimateTokens(a);
      expect(Number.isInteger(tokens)).toBe(true);
      expect(estimateTokens(`${a}\n${b}`)).toBeGreaterThanOrEqual(tokens);
    },
  );
});

describe("estimateDefinitionTokens()", () => {
  it("counts name, description and input schema, and nothing that a model API does not get", () => {
    const definition = { name: "echo", description: "Says it again.", inputSchema: { type: "object" } };
    const tokens = estimateDefinitionTokens(definition);
    expect(estimateDefinitionTokens({ ...definition, groupIds: ["mcp:s"], outputSchema: { type: "object" } })).toBe(
      tokens,
    );
    expect(estimateDefinitionTokens({ ...definition, description: "Says it again, and again." })).toBeGreaterThan(
      tokens,
    );
  });
});
