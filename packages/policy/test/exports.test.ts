import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/policy", () => {
  it("has one entry point", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./package.json"]);
  });
});
