import type { ToolsChange } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, groupOf, serverTool, staticTool, toolOf, type FakeProvider } from "./fake-provider.ts";

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
    ["its tools in time", { tools: () => Promise.resolve([]) as never }],
    ["its tools but as an object", { tools: () => ({}) as never }],
    ["its tools but as a text", { tools: () => "read" as never }],
    ["its groups in time", { groups: () => Promise.resolve([]) as never }],
    ["its held tools in time", { quarantined: () => Promise.resolve([]) as never }],
    ["its unready groups in time", { unreadyGroups: () => Promise.resolve([]) as never }],
    ["a tool", { tools: () => [null as never] }],
    ["a description", { tools: () => [{ name: "odd", inputSchema: {} } as never] }],
    ["a name", { tools: () => [toolOf(7 as never)] }],
    ["a tool without failing", { tools: () => [Object.defineProperty(toolOf("odd"), "description", { get: boom })] }],
    ["a group", { groups: () => [null as never] }],
    ["members of a group", { groups: () => [groupOf("odd", undefined as never)] }],
    ["texts of a group", { tools: () => [toolOf("a")], groups: () => [groupOf("odd", ["a"], { title: 7 as never })] }],
    ["a held tool", { quarantined: () => [{} as never] }],
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
    for (const options of [{}, { wait: "servers" }] as const) {
      await expect(toolbox.call("nobody", {}, options)).rejects.toMatchObject({ code: "unknown_tool" });
    }
  });

  it("is named with its fault, and has no tools until it mends them", () => {
    const { own, good } = setUp();
    const toolbox = createToolbox({ providers: [own, good] });
    const names = (): readonly string[] => toolbox.tools().map(({ name }) => name);
    own.offer([toolOf("fine"), toolOf("odd", { description: undefined as never })]);
    expect(names()).toEqual(["mcp_s_read"]);
    expect(toolbox.diagnostics()).toEqual([
      {
        kind: "defect",
        serverId: "",
        message: 'provider "a-own" is at fault: tools() gave a list whose entry 1 lacks what it must have',
      },
    ]);
    own.offer([toolOf("fine")]);
    expect(names()).toEqual(["fine", "mcp_s_read"]);
  });

  it("leaves no stale catalogue behind when a rule of the product fails", () => {
    const { good } = setUp();
    let rule: () => "static" = () => "static";
    const toolbox = createToolbox({
      tools: [staticTool("mcp_s_write")],
      providers: [good],
      precedence: () => rule(),
    });
    expect(toolbox.tools()).toHaveLength(2);
    rule = boom;
    good.offer([serverTool("s", "read"), serverTool("s", "write"), serverTool("s", "more")]);
    for (const _ of [1, 2]) expect(() => toolbox.tools()).toThrow("boom");
    rule = () => "static";
    expect(toolbox.tools()).toHaveLength(3);
  });
});
