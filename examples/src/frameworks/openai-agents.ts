// An agent of the OpenAI Agents SDK with the tools of many MCP servers.
import { Agent, run, type Model } from "@openai/agents";
import { createAgentsTools } from "@hostside/adapters/openai-agents";
import type { ToolboxView } from "@hostside/discovery";

export async function ask(model: string | Model, view: ToolboxView, question: string): Promise<string | undefined> {
  const { tools } = createAgentsTools(view);
  const agent = new Agent({ name: "helper", instructions: "Answer in one sentence.", model, tools });
  // Not the end of the run, but something to read for a model that calls what is not there.
  const result = await run(agent, question, { toolNotFoundBehavior: "return_error_to_model" });
  return result.finalOutput;
}
