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

  it("names the words that most of its tools have, without verbs and what the group is called", () => {
    const members = tools(
      ["list_issues"],
      ["create_issue"],
      ["azure_get_issue", "Read an issue of a repository"],
      ["list_repositories"],
      ["merge_pull_request"],
      ["create_pull_request"],
    );
    expect(summarizeGroup(group, members)).toBe(
      "Tools about issue, pull request, repositories: list, create, get, merge.",
    );
  });

  it.each([
    [
      "# Server\n\nAudience: written for a model.\nFollow the rules below.\n\nAlways sign in. Acme is a billing service for shops.",
      "Acme is a billing service for shops.",
    ],
    [
      "The user has Acme. Acme provides clouds. Use these tools to manage machines and disks.",
      "Use these tools to manage machines and disks.",
    ],
    ["Before you call anything, fetch acme://rules and follow them.", "Tools about machine, disk: list, attach."],
  ])(
    "passes over what is said to the reader, for the sentence that says most of the tools: %j",
    (instructions, summary) => {
      const names = tools(
        ["list_machines"],
        ["list_disks"],
        ["list_machine_of_region"],
        ["attach_disk"],
        ["list_machine_by_id"],
      );
      expect(summarizeGroup({ ...group, instructions }, names)).toBe(summary);
    },
  );

  it("lets few tools say what they do, and names words where they say nothing", () => {
    const named = tools(["list_vms"], ["list_disks"]);
    const described = named().map((tool, index) => ({
      ...tool,
      description: `NOTE: slow. Lists things of kind ${index}. More.`,
    }));
    expect(summarizeGroup(group, () => described)).toBe("Lists things of kind 0; Lists things of kind 1");
    expect(summarizeGroup(group, named)).toBe("Tools about vms, disks: list.");
  });

  it("reads past the program that all tools run, and verbs at the end", () => {
    const members = tools(
      ["kctl_pod_list"],
      ["kctl_pod_delete"],
      ["kctl_helm_chart_list"],
      ["kctl_helm_chart_add"],
      ["kctl_create_or_update_pod"],
    );
    expect(summarizeGroup(group, members)).toBe("Tools about pod, helm chart: list, delete, add, create.");
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
