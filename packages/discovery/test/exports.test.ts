import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as discovery from "../src/index.ts";

describe("@hostside/discovery", () => {
  it("exports these values and no others", () => {
    expect(Object.keys(discovery).sort()).toEqual([
      "aboutGroup",
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

  it("exports embeddings and tools for resources from entries of their own", async () => {
    const entry = await import("@hostside/discovery/embeddings");
    expect(Object.keys(entry).sort()).toEqual(["createEmbeddingRanker", "createOpenAiEmbedder"]);
    const tools = await import("@hostside/discovery/resource-tools");
    expect(Object.keys(tools).sort()).toEqual(["createResourceTools"]);
  });

  it("has these entries and no others, and depends on core alone", () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(Object.keys(manifest.exports)).toEqual([".", "./embeddings", "./resource-tools", "./package.json"]);
    expect(Object.keys(manifest.dependencies)).toEqual(["@hostside/core"]);
  });
});
