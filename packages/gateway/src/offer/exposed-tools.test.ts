import type { ToolDefinition } from "@hostside/core";
import { expect, it } from "vitest";
import type { GatewayTools } from "../gateway-client.ts";
import { createExposedTools } from "./exposed-tools.ts";

it("reads the catalogue once for each tool that is looked for, and again when the tools are others", () => {
  let reads = 0;
  let definition = { name: "Tool_1", description: "", inputSchema: { type: "object" } } as ToolDefinition;
  const tools = {
    tools() {
      reads += 1;
      return [definition];
    },
    compact() {},
    selection: () => [],
  } as unknown as GatewayTools;
  const exposed = createExposedTools(tools, { expose: "all", only: undefined }, "modern");
  for (let time = 0; time < 10; time += 1) expect(exposed.find("tool_1")).toBe(definition);
  expect(reads).toBe(1);
  definition = { ...definition, description: "another" };
  exposed.changed();
  expect(exposed.find("tool_1")?.description).toBe("another");
  expect(exposed.find("tool_2")).toBeUndefined();
});
