import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/policy", () => {
  it("exports exactly these values for lock files", async () => {
    expect(Object.keys(await import("@hostside/policy/lock")).toSorted()).toEqual([
      "diffLocks",
      "formatLock",
      "lockTools",
      "parseLock",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./lock", "./package.json"]);
  });
});
