import { describe, expect, it } from "vitest";
import { createTemporaryTree } from "./temporary-tree.ts";

describe("count-tests", () => {
  const file = { status: "passed", assertionResults: [{}] };
  const report = { success: true, numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0 };

  it("prints the runner's counts", async () => {
    await using tree = await createTemporaryTree({ ".ci/report.json": { ...report, testResults: [file] } });
    expect(await tree.run("count-tests")).toEqual({ exitCode: 0, output: "tests: 3 passed, 0 failed, 1 skipped" });
  });

  it("counts a file that did not load as a failed test", async () => {
    const unloaded = { status: "failed", assertionResults: [] };
    await using tree = await createTemporaryTree({
      ".ci/report.json": { ...report, success: false, testResults: [file, unloaded] },
    });
    expect(await tree.run("count-tests")).toEqual({ exitCode: 1, output: "tests: 3 passed, 1 failed, 1 skipped" });
  });

  it("adds up the reports that are named, and one that is missing is a failure", async () => {
    await using tree = await createTemporaryTree({ "one.json": { ...report, testResults: [file] } });
    const sum = "tests: 6 passed, 0 failed, 2 skipped";
    expect(await tree.run("count-tests", "one.json", "one.json")).toEqual({ exitCode: 0, output: sum });
    expect(await tree.run("count-tests", "one.json", "none.json")).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/tests: 3 passed, 1 failed, 1 skipped$/),
    });
  });

  it("counts a report that was cut short as a failed test", async () => {
    await using tree = await createTemporaryTree({ ".ci/report.json": '{"numPassedTests":3,' });
    expect(await tree.run("count-tests")).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/is not readable: .*\ntests: 0 passed, 1 failed, 0 skipped$/),
    });
  });

  it("fails without a report, and on one that ran no test", async () => {
    await using tree = await createTemporaryTree({ "empty.json": { ...report, numPassedTests: 0, testResults: [] } });
    expect(await tree.run("count-tests")).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/did not run to their end\ntests: 0 passed, 1 failed, 0 skipped$/),
    });
    expect(await tree.run("count-tests", "empty.json")).toMatchObject({ exitCode: 1 });
  });
});
