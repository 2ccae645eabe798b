import { createToolbox, type StaticTool, type Toolbox } from "@hostside/discovery";
import type { JsonObject } from "@hostside/core";
import { createGateway, type Gateway, type GatewayOptions } from "@hostside/gateway";

/** A tool of the product's own. */
export function tool(
  name: string,
  run: StaticTool["run"],
  definition: Partial<StaticTool["definition"]> = {},
): StaticTool {
  return { definition: { name, description: `The tool ${name}`, inputSchema: { type: "object" }, ...definition }, run };
}

/** A gateway in front of tools that are functions. */
export function serveTools(
  tools: readonly StaticTool[],
  options: Partial<GatewayOptions> = {},
): { readonly gateway: Gateway; readonly toolbox: Toolbox } {
  const toolbox = createToolbox({ tools });
  const gateway = createGateway({
    name: "test-gateway",
    version: "1.0.0",
    expose: "all",
    tools: "all",
    open: ({ view }) => ({ tools: toolbox.view(view) }),
    ...options,
  });
  return { gateway, toolbox };
}

/** The text of a call's answer. */
export function textOf(answer: JsonObject): unknown {
  const result = answer["result"] as { readonly content?: readonly { readonly text?: string }[] } | undefined;
  return result?.content?.[0]?.text;
}
