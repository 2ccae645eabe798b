import { describe, expect, it } from "vitest";
import { createTemporaryTree } from "./temporary-tree.ts";

describe("list-failures", () => {
  it("names each test that failed, and each file that did not load, with the first line of why", async () => {
    const passed = { status: "passed", fullName: "adds", failureMessages: [] };
    const failed = { status: "failed", fullName: "subtracts", failureMessages: ["expected 1\nat line 3"] };
    await using tree = await createTemporaryTree({
      "report-a.json": { testResults: [{ name: "a.test.ts", message: "", assertionResults: [passed, failed] }] },
      "report-b.json": { testResults: [{ name: "b.test.ts", message: "no such module\nat b", assertionResults: [] }] },
    });
    const { output, exitCode } = await tree.run("list-failures", "report-a.json", "report-b.json");
    expect(output.split("\n")).toEqual([
      expect.stringMatching(/^report-a\.json: \S*a\.test\.ts > subtracts: expected 1$/),
      expect.stringMatching(/^report-b\.json: \S*b\.test\.ts did not load: no such module$/),
    ]);
    expect(exitCode).toBe(0);
  });

  it("names a report that is missing or cut short, and goes on", async () => {
    const failed = { status: "failed", fullName: "subtracts", failureMessages: ["expected 1"] };
    await using tree = await createTemporaryTree({
      "cut.json": '{"testResults":[{"name":',
      "whole.json": { testResults: [{ name: "a.test.ts", message: "", assertionResults: [failed] }] },
    });
    const { output, exitCode } = await tree.run("list-failures", "none.json", "cut.json", "whole.json");
    expect(output.split("\n")).toEqual([
      "no report at none.json: the tests did not run to their end",
      expect.stringMatching(/^the report at cut\.json is not readable: ./),
      expect.stringMatching(/^whole\.json: \S*a\.test\.ts > subtracts: expected 1$/),
    ]);
    expect(exitCode).toBe(0);
  });
});
