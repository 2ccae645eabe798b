import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/results", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/results")).sort()).toEqual([
      "createMemorySink",
      "createResults",
      "createStoreSink",
      "present",
      "presentError",
    ]);
  });

  it("has exactly these entry points, and publishes its vectors", () => {
    const { exports, files } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./node", "./vectors/results.json", "./package.json"]);
    expect(files).toContain("vectors");
  });
});
