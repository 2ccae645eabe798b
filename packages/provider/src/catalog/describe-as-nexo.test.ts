import type { RemoteTool, ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { describeAsNexo } from "../api/provider-options.ts";

const spec = (id: string): ServerSpec => ({ id, type: "http", url: "https://example.com/mcp" });

describe("describeAsNexo()", () => {
  it.each<[string, string, Partial<RemoteTool>, string]>([
    ["the server in front of its words", "github", { description: " Creates one. " }, "[mcp:github] Creates one."],
    ["the server alone where there are no words", "github", {}, "[mcp:github]"],
    ["no bracket or line break of an id", "a]\n[b", { description: "x" }, "[mcp:a  [b] x"],
    ["no hidden characters", "fs", { description: "a\u202Eb", flags: ["bidi"] }, "[mcp:fs] ab"],
  ])("has %s", (...[, id, more, expected]) => {
    expect(describeAsNexo({ name: "t", inputSchema: {}, ...more }, spec(id))).toBe(expected);
  });
});
