// An agent of Mastra with the tools of many MCP servers.
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createMastraTools } from "@hostside/adapters/mastra";
import type { ToolboxView } from "@hostside/discovery";

export async function ask(model: MastraModelConfig, view: ToolboxView, question: string): Promise<string> {
  const { tools, prepareStep } = createMastraTools(view);
  const agent = new Agent({ id: "helper", name: "Helper", instructions: "Answer in one sentence.", model, tools });
  const result = await agent.generate(question, { prepareStep, maxSteps: 20 });
  return result.text;
}
