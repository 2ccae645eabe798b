import { describe, expect, it } from "vitest";
import { readSuiteSummary } from "./read-suite-summary.ts";

const output = `noise
=== SUITE SUMMARY ===
✓ initialize: 1 passed, 0 failed
✗ auth/metadata-var3: 5 passed, 4 failed
✓ http-standard-headers: 0 passed, 0 failed
✗ auth/dpop: 11 passed, 3 failed, 1 warnings

Total: 17 passed, 7 failed, 0 warnings

Not scored for 2025-11-25: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ auth/dpop (extension)
`;

describe("readSuiteSummary()", () => {
  it("reads each scenario with its counts, and why it is there", () => {
    expect(readSuiteSummary(output)).toEqual([
      { scenario: "initialize", passed: 1, failed: 0, green: true, part: "required" },
      { scenario: "auth/metadata-var3", passed: 5, failed: 4, green: false, part: "required" },
      { scenario: "http-standard-headers", passed: 0, failed: 0, green: true, part: "required" },
      { scenario: "auth/dpop", passed: 11, failed: 3, green: false, part: "extension" },
    ]);
  });
});
