import type { ToolsChange } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, groupOf, serverTool, type FakeProvider } from "./fake-provider.ts";

const boom = (): never => {
  throw new Error("boom");
};

function setUp(): { readonly own: FakeProvider; readonly good: FakeProvider } {
  const own = fakeProvider("a-own");
  const good = fakeProvider("b-good");
  good.offer([serverTool("s", "read")], [groupOf("mcp:s", ["mcp_s_read"])]);
  return { own, good };
}

describe("a provider of the product's own that breaks its word", () => {
  it.each<[string, Partial<FakeProvider>]>([
    ["its tools", { tools: boom }],
    ["its groups", { groups: boom }],
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
