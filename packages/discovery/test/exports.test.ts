import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as discovery from "../src/index.ts";

describe("@hostside/discovery", () => {
  it("exports these values and no others", () => {
    expect(Object.keys(discovery).sort()).toEqual([
      "aboutGroup",
      "createEmbeddingRanker",
      "createOpenAiEmbedder",
      "createResourceTools",
      "createSearchIndex",
      "createToolbox",
      "estimateDefinitionTokens",
      "estimateTokens",
      "relatedTerms",
      "reservedNames",
      "searchTerms",
      "toSearchDocument",
      "viewOptionFields",
    ]);
  });

  it("has these entries and no others, and depends on core alone", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(manifest.exports)).toEqual([".", "./package.json"]);
    expect(Object.keys(manifest.dependencies)).toEqual(["@hostside/core"]);
  });
});
