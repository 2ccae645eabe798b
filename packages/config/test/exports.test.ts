import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/config", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/config")).toSorted()).toEqual([
      "createTrust",
      "detectDialect",
      "dialectNames",
      "editConfig",
      "expandConfig",
      "expandEnv",
      "formatProblem",
      "parseConfig",
      "readConfig",
    ]);
    expect(Object.keys(await import("@hostside/config/node")).toSorted()).toEqual([
      "createTrust",
      "dialectNames",
      "findConfigFiles",
      "findConfigs",
      "findProjectFolder",
      "formatProblem",
      "loadConfig",
      "readConfigFile",
      "readText",
      "watchConfig",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./node", "./hostside.schema.json", "./package.json"]);
  });
});
