import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

describe("@toolport/naming", () => {
  it("exports exactly these values", async () => {
    expect(Object.keys(await import("@toolport/naming")).sort()).toEqual([
      "adoptNames",
      "assertNamingStrategy",
      "assignNames",
      "conciseNaming",
      "emptyNames",
      "evvaNaming",
      "hashJson",
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
      "toolportNaming",
      "verbatimNaming",
      "withPrefix",
      "withoutNames",
      "withoutServer",
    ]);
  });

  it("has exactly these entry points", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(exports)).toEqual([".", "./vectors.json", "./package.json"]);
  });
});
