import { expect, it } from "vitest";
import { redactData } from "./redaction.ts";

const redact = (text: string): string => text.replaceAll("1234567", "[redacted]");

it("masks texts, names of members and numbers, and leaves the rest as it is", () => {
  const data = { a: ["x 1234567", 1234567, true, null, { 1234567: 1 }], b: { c: 2 } };
  expect(redactData(data, redact)).toEqual({
    a: ["x [redacted]", "[redacted]", true, null, { "[redacted]": 1 }],
    b: { c: 2 },
  });
  const harmless = { a: [1, "x", { b: null }] };
  expect(redactData(harmless, redact)).toBe(harmless);
});
