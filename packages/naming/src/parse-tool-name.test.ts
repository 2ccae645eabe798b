import { describe, expect, it } from "vitest";
import { assignNames } from "./assign-names.ts";
import { localNameOf, parseToolName } from "./name-table.ts";
import { evvaNaming } from "./naming-strategy.ts";

describe("parseToolName()", () => {
  it("takes names of the evva preset apart", () => {
    const tool = { serverId: "github", toolName: "list_issues" };
    const name = localNameOf(assignNames([tool], { strategy: evvaNaming }).names, tool) ?? "";
    expect(parseToolName(name)).toEqual({ server: "github", tool: "list_issues" });
  });

  it("knows only the first segment of a server whose name contains two underscores", () => {
    expect(parseToolName("mcp__a__b__c")).toEqual({ server: "a", tool: "b__c" });
  });

  it.each(["", "mcp", "mcp__a", "mcp____a", "mcp_a_b", "other__a__b"])("returns null for %j", (name) => {
    expect(parseToolName(name)).toBeNull();
  });
});
