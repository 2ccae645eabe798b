import { describe, expect, it } from "vitest";
import { isLegalFunctionName } from "./naming-strategy.ts";

describe("isLegalFunctionName()", () => {
  it.each(["a", "mcp_repo_search", "a-b", "a1", "a".repeat(64)])("accepts %j", (name) => {
    expect(isLegalFunctionName(name)).toBe(true);
  });

  it.each(["", "A", "1a", "_a", "-a", "a.b", "a b", "a\n", "é", "a".repeat(65)])("refuses %j", (name) => {
    expect(isLegalFunctionName(name)).toBe(false);
  });
});
