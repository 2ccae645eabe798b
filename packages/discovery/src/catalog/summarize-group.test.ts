import type { ToolDefinition, ToolGroup } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { summarizeGroup } from "./summarize-group.ts";

const group: ToolGroup = {
  id: "mcp:azure",
  title: "Azure MCP Server",
  description: "Tools provided by MCP server `azure`.",
  members: [],
};
const tools = (...names: readonly (readonly [name: string, title?: string])[]): (() => readonly ToolDefinition[]) => {
  const definitions = names.map(([toolName, title]) => ({
    name: `mcp_azure_${toolName}`,
    ...(title !== undefined && { annotations: { title } }),
    description: "",
    inputSchema: {},
    origin: { serverId: "azure", toolName, qualifiedName: "" },
  }));
  return () => definitions;
};

describe("summarizeGroup()", () => {
  it("takes the description of a server that has one", () => {
    const described = { ...group, description: "Cloud resources." };
    expect(summarizeGroup({ ...described, instructions: "Sign in first." }, tools(["list_vms"]))).toBe(
      "Cloud resources.",
    );
  });

  it.each([
    ["Manages cloud resources. Always sign in first.", "Manages cloud resources."],
    ["One line\nand more", "One line"],
    ["\u001b[31mNo end", "No end"],
    ["# Everything Server - Instructions\n\nShows every feature. Call echo.", "Shows every feature."],
    ["Docs\n====\n\nReads documentation of libraries.", "Reads documentation of libraries."],
  ])("takes the first sentence of its advice, cleaned: %j", (instructions, summary) => {
    expect(summarizeGroup({ ...group, instructions }, tools(["list_vms"]))).toBe(summary);
  });

  it("names the words that most of its tools have, without verbs and what the group is called", () => {
    const members = tools(
      ["list_issues"],
      ["create_issue"],
      ["azure_get_issue", "Read an issue of a repository"],
      ["list_repositories"],
      ["merge_pull_request"],
      ["create_pull_request"],
    );
    expect(summarizeGroup(group, members)).toBe("Tools about issue, pull, repository, request, merge.");
  });

  it("leaves the description as it is when there is no such word", () => {
    expect(summarizeGroup(group, tools(["get"], ["list"]))).toBe(group.description);
  });

  it("reads a bounded part of hostile texts, and keeps members of every object for words", () => {
    const summary = summarizeGroup({ ...group, instructions: "x".repeat(100_000) }, tools(["constructor"]));
    expect(summary.length).toBeLessThanOrEqual(200);
    expect(summarizeGroup(group, tools(["constructor"], ["__proto__"]))).toBe("Tools about constructor, proto.");
  });
});
