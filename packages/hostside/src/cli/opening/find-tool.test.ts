import type { ToolDefinition } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { test } from "../../../../../test/property-test.ts";
import { findTool, searchTool, likelyServerOf, type ToolsAtHand } from "./find-tool.ts";

function tool(name: string, serverId: string, toolName: string): ToolDefinition {
  return {
    name,
    description: "",
    inputSchema: { type: "object" },
    origin: { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` },
  };
}

const definitions: readonly ToolDefinition[] = [
  { name: "results_read", description: "", inputSchema: { type: "object" } },
  tool("mcp_files_read_file", "files", "read_file"),
  tool("mcp_my_files_a1b2c3", "My.Files 2", "read_file"),
  tool("mcp_hub_repos_list", "hub", "repos/list"),
  tool("mcp_hub_upper", "hub", "Upper"),
  tool("mcp_hub_upper_b2", "hub", "upper"),
];
const tools: ToolsAtHand = { tools: () => definitions, statuses: () => [] };
const failureOf = (typed: string, among: ToolsAtHand = tools): unknown => {
  try {
    return findTool(typed, among);
  } catch (error) {
    return error;
  }
};

describe("findTool()", () => {
  it.each([
    ["mcp_files_read_file", "mcp_files_read_file"],
    ["MCP_Files_read_file", "mcp_files_read_file"],
    ["files/read_file", "mcp_files_read_file"],
    ["My.Files 2/read_file", "mcp_my_files_a1b2c3"],
    ["my.files 2/READ_FILE", "mcp_my_files_a1b2c3"],
    ["hub/repos/list", "mcp_hub_repos_list"],
    ["repos/list", "mcp_hub_repos_list"],
    ["Upper", "mcp_hub_upper"],
    ["hub/upper", "mcp_hub_upper_b2"],
    ["results_read", "results_read"],
  ])("finds %s", (typed, name) => {
    expect(findTool(typed, tools).name).toBe(name);
  });

  it("lists the tools of several servers that one remote name means", () => {
    expect(failureOf("read_file")).toMatchObject({
      name: "UsageError",
      message: '"read_file" is a tool of 2 servers',
      hint: 'Name one of: "files/read_file", "My.Files 2/read_file"',
    });
  });

  it("names what is near, by its local name, and the servers whose tools are not known", () => {
    expect(failureOf("files/read_fil")).toMatchObject({ details: { suggestions: ["mcp_files_read_file"] } });
    const status = { id: "late", state: "connecting" } as never;
    expect(failureOf("zzz", { ...tools, statuses: () => [status] })).toMatchObject({
      code: "unknown_tool",
      rawMessage: expect.stringContaining('; no tools are known of "late" (connecting)') as string,
    });
  });

  it("names a server that is not there, and one that may be meant", () => {
    const statuses = (): never => [{ id: "Files", state: "ready" }] as never;
    expect(failureOf("fils/zzz", { ...tools, statuses })).toMatchObject({
      message: 'there is no server "fils"',
      hint: 'Did you mean "Files"?',
    });
    expect(failureOf("files/zzz", { ...tools, statuses })).toMatchObject({ code: "unknown_tool" });
  });

  it("writes no escape sequence of a name to a terminal", () => {
    const hostile = [tool("mcp_a_x", "a", "x\u001B[2J"), tool("mcp_b_x", "b", "x\u001B[2J")];
    const error = failureOf("x\u001B[2J", { ...tools, tools: () => hostile });
    expect(JSON.stringify([(error as Error).message, (error as { hint?: string }).hint])).not.toContain("u001b");
  });

  test.prop([fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })), { maxLength: 8 })])(
    "finds each tool by its own local name, whatever servers call theirs",
    (pairs) => {
      const all = pairs.map(([serverId, toolName], at) => tool(`mcp_${at}`, serverId, toolName));
      for (const one of all) expect(searchTool(one.name, all)).toEqual([one]);
    },
  );
});

describe("serverOf()", () => {
  const serverIds = ["files", "My.Files 2", "hub", "a"];
  it.each([
    ["hub/anything", "hub"],
    ["HUB/anything", "hub"],
    ["My.Files 2/x/y", "My.Files 2"],
    ["MCP_files_read_file", "files"],
    ["read_file", undefined],
    ["mcp_gone_only_here", undefined],
    ["unknown", undefined],
    ["/x", undefined],
    ["a/b", "a"],
  ])("knows for %s which server to start", (typed, serverId) => {
    expect(likelyServerOf(typed, serverIds)).toBe(serverId);
  });
});
