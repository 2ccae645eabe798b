import { describe, expect, it } from "vitest";
import { safeExcerpt } from "./safe-excerpt.ts";

const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");

describe("safeExcerpt()", () => {
  it("cleans, then redacts, then cuts", () => {
    expect(safeExcerpt("a hun\u001B[1mter2 b\u0007", redact, 100)).toBe("a [redacted] b");
    expect(safeExcerpt("xx hunter2", redact, 8)).toBe("xx [red…");
  });

  it("shows the start of a huge text without white space", () => {
    expect(safeExcerpt("x".repeat(1_000_000), redact, 10)).toBe("xxxxxxxxx…");
  });

  it("leaves out a word that may be half a secret, where only little is left of a huge text", () => {
    const text = `go: ${"\u001B[0m".repeat(4094)}hunter2 and more`;
    expect(text.slice(0, 16 * 1024).endsWith("hunt")).toBe(true);
    expect(safeExcerpt(text, redact, 100)).toBe("go:");
  });
});
