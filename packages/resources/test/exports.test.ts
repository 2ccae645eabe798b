import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/resources", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/resources")).toSorted()).toEqual([
      "allowsUri",
      "appOf",
      "createResourceTools",
      "createResources",
      "parseUriTemplate",
      "readAllowedUris",
      "readApp",
      "readSelected",
      "resourceTools",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./package.json"]);
  });
});
