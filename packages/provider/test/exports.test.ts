import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/provider", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/provider"))).toEqual([
      "createProvider",
      "fingerprintServers",
      "fingerprintReach",
      "createNameBook",
    ]);
    expect(Object.keys(await import("@hostside/provider/resources")).sort()).toEqual([
      "allowsUri",
      "createResources",
      "readAllowedUris",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./resources", "./package.json"]);
  });
});
