import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "./tool.ts";
import { unknownToolError } from "./unknown-tool-error.ts";

function toolOf(serverId: string, toolName: string): ToolDefinition {
  const origin = { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
  return { name: `mcp_${serverId}_${toolName}`, description: "", inputSchema: { type: "object" }, origin };
}

describe("unknownToolError()", () => {
  it("is an unknown_tool about the name that was asked for", () => {
    const error = unknownToolError("nothing", [toolOf("a", "read"), toolOf("b", "read")]);
    expect(error).toMatchObject({ code: "unknown_tool", outcome: "not-sent", toolName: "nothing" });
    expect(error.rawMessage).toBe('tool "nothing" not found; there are 2, by other names');
  });

  it("suggests the local names of tools that a server knows by this name, three at most", () => {
    const tools = ["a", "b", "c", "d"].map((id) => toolOf(id, "read"));
    expect(unknownToolError("read", tools.slice(0, 1)).rawMessage).toBe(
      'tool "read" not found; did you mean "mcp_a_read"?',
    );
    expect(unknownToolError("read", tools).rawMessage).toBe(
      'tool "read" not found; did you mean "mcp_a_read" or "mcp_b_read" or "mcp_c_read"?',
    );
  });

  it.each(["mcp::a::get-sum", "a/get-sum", "mcp_a_get-sum", "MCP_A_GetSum"])("suggests a tool for %s, too", (name) => {
    const tool = { ...toolOf("a", "get-sum"), name: "mcp_a_get_sum" };
    expect(unknownToolError(name, [toolOf("b", "read"), tool]).rawMessage).toBe(
      `tool "${name}" not found; did you mean "mcp_a_get_sum"?`,
    );
  });

  it.each(["mcp_http_ecko", "mcp_http_eho", "mcp_htp_echo", "mcp_http_echoo", "mcp_http_ehco", "ecko"])(
    "suggests the tool that %s is a slip of the keyboard away from",
    (name) => {
      const error = unknownToolError(name, [toolOf("http", "add"), toolOf("http", "echo")]);
      expect(error.rawMessage).toBe(`tool "${name}" not found; did you mean "mcp_http_echo"?`);
      expect(error.details).toEqual({ suggestions: ["mcp_http_echo"] });
    },
  );

  it.each(["mcp_http_sub", "adt", "mcp_http_ekko2", "mcp_http"])("suggests nothing for %s", (name) => {
    expect(unknownToolError(name, [toolOf("http", "add"), toolOf("http", "echo")]).rawMessage).toContain(
      "by other names",
    );
  });

  it("bounds and cleans what a model made up", () => {
    const error = unknownToolError(`a\u001b[31mb${"x".repeat(100_000)}`, []);
    expect(error.rawMessage).toMatch(/^tool "abx+…" not found; there is none$/);
    expect(JSON.stringify(error).length).toBeLessThan(1000);
  });
});
