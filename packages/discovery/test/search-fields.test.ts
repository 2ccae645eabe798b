import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "@hostside/core";
import { serverTool } from "./fake-provider.ts";
import { namesIn, viewOf } from "./sample-view.ts";

const anomalies = ["list_users", "get_weather", "create_note", "delete_branch", "show_map"].map((name) =>
  serverTool("misc", name),
);

async function find(query: string, ...tools: readonly ToolDefinition[]): Promise<readonly string[]> {
  return namesIn(await viewOf({ definitions: [...tools, ...anomalies], groups: [] }).searchTools({ query }));
}

describe("the search", () => {
  it("knows a title that stands among the annotations", async () => {
    const tool = { ...serverTool("s", "op_17", ""), annotations: { title: "Archive an invoice" } };
    expect(await find("archive invoice", tool)).toEqual(["mcp_s_op_17"]);
  });

  it.each([
    ["VMs", "Starts a VM."],
    ["vms", "Starts one of the VMs."],
    ["VM", "Starts VMs."],
    ["API", "Lists APIs."],
    ["apis", "Lists each API."],
    ["IDs", "Prints an ID."],
    ["URLs", "Opens a URL."],
  ])("knows the plurals of abbreviations: %s finds %j", async (query, description) => {
    expect(await find(query, serverTool("s", "op_17", description))).toEqual(["mcp_s_op_17"]);
  });

  it.each([["youtube"], ["YouTube"], ["youtube transcript"], ["you tube transcript"]])(
    "knows a name with a capital inside as one word: %s",
    async (query) => {
      const tools = [
        serverTool("s", "transcript", "Reads the transcript of a YouTube video."),
        serverTool("s", "inner_tube", "Orders an inner tube for you."),
      ];
      expect((await find(query, ...tools))[0]).toBe("mcp_s_transcript");
    },
  );

  it("knows what parameters are for, by their descriptions and values, and lets a tool's own words go first", async () => {
    const described = (name: string, schema: ToolDefinition["inputSchema"]): ToolDefinition => ({
      ...serverTool("s", name, "Works on resources."),
      inputSchema: { type: "object", properties: { kind: schema } },
    });
    const tools = [
      described("op_1", { type: "string", description: "Kind of resource (e.g. pods, deployments)" }),
      described("op_2", { type: "string", enum: ["volumes", "tunnels"] }),
      serverTool("s", "restart_pods", "Restarts them."),
    ];
    expect(await find("pods", ...tools)).toEqual(["mcp_s_restart_pods", "mcp_s_op_1"]);
    expect(await find("tunnels", ...tools)).toEqual(["mcp_s_op_2"]);
  });

  it("reads a bounded part of hostile parameters", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `p${index}`,
        { description: `word${index} `.repeat(40), enum: [1, null] },
      ]),
    );
    const tool = {
      ...serverTool("s", "op_17"),
      inputSchema: { type: "object", properties: { odd: null, ...properties, last: { description: "zebra" } } },
    };
    expect(await find("op_17", tool)).toEqual(["mcp_s_op_17"]);
    expect(await find("zebra", tool)).toEqual([]);
  });

  it("prefers the tool that has to do with all of a query to one whose whole name is a word of it", async () => {
    const tools = [
      serverTool("azure", "documentation", "Search official Microsoft and Azure documentation."),
      {
        ...serverTool("docs", "query_docs", "Retrieves current documentation and code examples of a library."),
        inputSchema: { type: "object", properties: { query: { type: "string", description: "Such as: React hooks" } } },
      },
    ];
    expect((await find("documentation of react", ...tools))[0]).toBe("mcp_docs_query_docs");
    expect((await find("azure documentation", ...tools))[0]).toBe("mcp_azure_documentation");
  });
});
