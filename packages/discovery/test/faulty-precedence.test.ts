import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { fakeProvider, groupOf, serverTool, staticTool } from "./fake-provider.ts";

const boom = (): never => {
  throw new Error("boom");
};

describe("a toolbox", () => {
  it("leaves no stale catalogue behind when a rule of the product fails", () => {
    const good = fakeProvider("good");
    good.offer([serverTool("s", "read")], [groupOf("mcp:s", ["mcp_s_read"])]);
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

  it("keeps the tools of other providers when one of the product's throws, and tells of their changes", async () => {
    const [own, good] = [fakeProvider("own"), fakeProvider("good")];
    good.offer([serverTool("s", "read")]);
    const toolbox = createToolbox({ providers: [own, good] });
    const reported: string[] = [];
    toolbox.onToolsChanged(({ added }) => reported.push(...added));
    own.tools = boom;
    good.offer([serverTool("s", "read"), serverTool("s", "write")]);
    expect(reported).toEqual(["mcp_s_write"]);
    expect(toolbox.tools()).toHaveLength(2);
    expect(toolbox.diagnostics()).toMatchObject([{ kind: "defect", message: 'provider "own" is at fault: boom' }]);
  });
});
