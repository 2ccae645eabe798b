import { ToolportError, type ToolOutcome } from "@toolport/core";
import { createToolbox } from "@toolport/discovery";
import { createGateway } from "@toolport/gateway";
import { expect, it } from "vitest";
import { fakeProvider, serverTool } from "../../discovery/test/fake-provider.ts";
import { connectSession } from "./raw-client.ts";

it.each([
  ["once", 1, 2, undefined],
  ["not again and again", 5, 2, true],
])("calls a tool as it is now where its server was replaced meanwhile, %s", async (...[, replaced, calls, isError]) => {
  const provider = fakeProvider("mcp");
  provider.offer([serverTool("files", "read")]);
  let called = 0;
  provider.call = async (): Promise<ToolOutcome> => {
    called += 1;
    if (called <= replaced) throw new ToolportError("was replaced", { code: "registration_replaced" });
    const content = [{ type: "text" as const, text: "done" }];
    const origin = { serverId: "files", toolName: "read", qualifiedName: "mcp::files::read" };
    return { content, isError: false, origin, raw: { content } };
  };
  const toolbox = createToolbox({ providers: [provider] });
  const open = ({ view }: { readonly view: object }) => ({ tools: toolbox.view(view) });
  const gateway = createGateway({ name: "test", version: "1", expose: "all", tools: "all", open });
  await using client = await connectSession(gateway);
  const { result } = await client.request("tools/call", { name: "mcp_files_read" });
  expect([called, (result as { readonly isError?: boolean }).isError]).toEqual([calls, isError]);
  await gateway.close();
});
