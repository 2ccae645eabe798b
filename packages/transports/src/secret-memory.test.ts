import { expect, it } from "vitest";
import { createSecretMemory } from "./secret-memory.ts";

it("masks what was configured and what it learned, the last eight of it, and no short text", () => {
  const memory = createSecretMemory((text) => text.replaceAll("configured", "[redacted]"));
  memory.learn("prod");
  for (let number = 0; number < 9; number += 1) {
    memory.learn(`token-${number}`);
    memory.learn(`token-${number}`);
  }
  expect(memory.redact("configured prod token-0 token-1 token-8")).toBe(
    "[redacted] prod token-0 [redacted] [redacted]",
  );
});
