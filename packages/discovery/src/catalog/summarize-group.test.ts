import type { ToolDefinition, ToolGroup } from "@hostside/core";
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
    ["One sentence that goes\non. And more", "One sentence that goes on."],
    ["\u001b[31mNo end", "No end"],
    ["# Everything Server - Instructions\n\nShows every feature. Call echo.", "Shows every feature."],
    ["Docs\n====\n\nReads documentation of libraries.", "Reads documentation of libraries."],
  ])("takes the first sentence of its advice, cleaned: %j", (instructions, summary) => {
    expect(summarizeGroup({ ...group, instructions }, tools(["list_vms"]))).toBe(summary);
  });

  it.each([
    [
      "# Server\n\nAudience: written for a model.\nFollow the rules below.\n\nAlways sign in. Acme is a billing service for shops.",
      "Acme is a billing service for shops.",
    ],
    ["Before you call anything, fetch acme://rules and follow them.", "Tools: list machines, attach disk"],
    ["", "Tools: list machines, attach disk"],
  ])("passes over what is said to the reader, or else names the tools: %j", (instructions, summary) => {
    expect(summarizeGroup({ ...group, instructions }, tools(["list_machines"], ["attach_disk"]))).toBe(summary);
  });

  it("reads a bounded part of hostile texts, and keeps members of every object for words", () => {
    const summary = summarizeGroup({ ...group, instructions: "x".repeat(100_000) }, tools(["constructor"]));
    expect(summary.length).toBeLessThanOrEqual(200);
    const many = tools(...Array.from({ length: 300 }, (_, at) => [`tool_${at}`] as const));
    expect(summarizeGroup(group, many).length).toBeLessThanOrEqual(160);
    expect(summarizeGroup(group, () => [])).toBe(group.description);
  });
});
