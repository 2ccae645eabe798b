import { HostsideError, type ToolOutcome } from "@hostside/core";
import { createToolbox, type StaticTool } from "@hostside/discovery";
import { createGateway } from "@hostside/gateway";
import { describe, expect, it } from "vitest";
import { fakeProvider, serverTool } from "../../discovery/test/fake-provider.ts";
import { connectSession } from "./raw-client.ts";

const replaced = { code: "registration_replaced", serverId: "files", toolName: "read" } as const;

/** How often a call ran, and whether its result is an error. */
async function callOf(name: string, failures: number): Promise<readonly [number, boolean | undefined]> {
  const provider = fakeProvider("mcp");
  provider.offer([serverTool("files", "read")]);
  let ran = 0;
  const run = async (): Promise<ToolOutcome> => {
    ran += 1;
    if (ran <= failures) throw new HostsideError("was replaced", replaced);
    const content = [{ type: "text" as const, text: "done" }];
    const origin = { serverId: "files", toolName: "read", qualifiedName: "mcp::files::read" };
    return { content, isError: false, origin, raw: { content } };
  };
  provider.call = run;
  const own: StaticTool = {
    definition: { name: "own", description: "", inputSchema: { type: "object" } },
    run: async () => (await run(), "done"),
  };
  const toolbox = createToolbox({ providers: [provider], tools: [own] });
  const open = ({ view }: { readonly view: object }) => ({ tools: toolbox.view(view) });
  const gateway = createGateway({ name: "test", version: "1", expose: "all", tools: "all", open });
  await using client = await connectSession(gateway);
  const { result } = await client.request("tools/call", { name });
  await gateway.close();
  return [ran, (result as { readonly isError?: boolean }).isError];
}

describe("a call whose server was replaced meanwhile", () => {
  it("is one of the tool as it is now", async () => {
    expect(await callOf("mcp_files_read", 1)).toEqual([2, undefined]);
  });

  it("is not repeated again and again", async () => {
    expect(await callOf("mcp_files_read", 5)).toEqual([2, true]);
  });

  it("is not repeated where it was within a tool of the host, which has run", async () => {
    expect(await callOf("own", 1)).toEqual([1, true]);
  });
});
