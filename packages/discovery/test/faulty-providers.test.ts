import type { ToolDefinition, ToolGroup, ToolsChange } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, groupOf, serverTool, toolOf, type FakeProvider } from "./fake-provider.ts";

const boom = (): never => {
  throw new Error("boom");
};
const throwing = Object.defineProperty({ ...toolOf("bad") }, "name", { get: boom });

function setUp(): { readonly own: FakeProvider; readonly good: FakeProvider } {
  const own = fakeProvider("a-own");
  const good = fakeProvider("b-good");
  good.offer([serverTool("s", "read")], [groupOf("mcp:s", ["mcp_s_read"])]);
  return { own, good };
}

describe("a provider of the product's own that breaks its word", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["a text", "tool"],
    ["a getter that throws", throwing],
    ["no description", { ...toolOf("bad"), description: undefined }],
    ["no schema", { ...toolOf("bad"), inputSchema: null }],
    ["an origin that is none", { ...toolOf("bad"), origin: {} }],
    ["a name that is none", { ...toolOf("bad"), name: 5 }],
  ])("costs the tool that it lists as %s, and nothing else", (_, entry) => {
    const { own, good } = setUp();
    own.tools = () => [entry as ToolDefinition, toolOf("fine")];
    const toolbox = createToolbox({ providers: [own, good] });
    expect(toolbox.tools().map(({ name }) => name)).toEqual(["fine", "mcp_s_read"]);
    expect(toolbox.diagnostics()).toMatchObject([
      { kind: "tool-dropped", message: expect.stringMatching(/provider "a-own" .* entry 1 of tools\(\)/) },
    ]);
  });

  it.each<[string, Partial<FakeProvider>]>([
    ["its tools", { tools: boom }],
    ["its groups", { groups: boom }],
    ["groups that are none", { groups: () => [null as unknown as ToolGroup] }],
    ["no list", { tools: () => undefined as never }],
    ["its unready groups", { unreadyGroups: boom }],
    ["a way to listen", { onToolsChanged: boom }],
  ])("blocks nobody's changes when it cannot give %s", async (_, broken) => {
    const { own, good } = setUp();
    Object.assign(own, broken);
    const toolbox = createToolbox({ providers: [own, good] });
    const changes: ToolsChange[] = [];
    toolbox.onToolsChanged((change) => changes.push(change));
    good.offer([serverTool("s", "read"), serverTool("s", "write")]);
    expect(changes).toMatchObject([{ added: ["mcp_s_write"] }]);
    expect(await toolbox.call("mcp_s_read")).toMatchObject({ isError: false });
    await expect(toolbox.call("nobody")).rejects.toMatchObject({ code: "unknown_tool" });
  });
});
