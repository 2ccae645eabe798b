import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@hostside/naming", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@hostside/naming")).sort()).toEqual([
      "assertNamingStrategy",
      "assignNames",
      "emptyNames",
      "evvaNaming",
      "hashJson",
      "hostsideNaming",
      "identityOf",
      "isLegalFunctionName",
      "isLegalName",
      "isPossibleName",
      "loadNames",
      "localNameOf",
      "nexoNaming",
      "normalizeServerId",
      "parseToolName",
      "qualifiedName",
      "qualifiedNaming",
      "saveNames",
      "toolNamePrefix",
      "verbatimNaming",
      "withoutNames",
      "withoutServer",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./vectors.json", "./package.json"]);
  });
});
