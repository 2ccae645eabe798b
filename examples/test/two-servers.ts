import { createToolbox, type ToolboxView } from "@hostside/discovery";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { everythingServer } from "./everything-server.ts";

/**
 * The official server that has one of everything under two ids, connected and listed. Whoever
 * starts it closes it.
 */
export async function startTwoServers(): Promise<McpProvider> {
  const transport = await everythingServer();
  const servers = ["every", "other"].map((id) => ({ id, ...transport }));
  const provider = createProvider({ connector: createConnector(), servers });
  await provider.init();
  return provider;
}

/** A conversation that has room for the helpers and what they find. */
export function conversationOf(provider: McpProvider): ToolboxView {
  return createToolbox({ providers: [provider] }).view({ maxToolTokens: 1500 });
}

/**
 * What the model does: it looks for a tool, and calls what it found on two servers, once wrongly.
 */
export const turns: readonly (readonly { readonly name: string; readonly args: object }[])[] = [
  [{ name: "tools_select", args: { tools: ["mcp_every_get_tiny_image", "mcp_other_get_sum"] } }],
  [
    { name: "mcp_every_get_tiny_image", args: {} },
    { name: "mcp_other_get_sum", args: { a: 2, b: 3 } },
    { name: "mcp_other_get_sum", args: { a: "two" } },
  ],
];
