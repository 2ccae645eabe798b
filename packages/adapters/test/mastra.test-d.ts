import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createMastraTools } from "@hostside/adapters/mastra";
import type { ToolboxView } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";

// Compiles only while what the adapter gives is what Mastra takes, under
// `exactOptionalPropertyTypes`, without a cast.
export async function run(view: ToolboxView, policy: Policy, model: MastraModelConfig): Promise<unknown> {
  const { tools, prepareStep, outcomeOf } = createMastraTools({ ...view, approval: policy.frameworkApproval() });
  const agent = new Agent({ id: "a", name: "A", instructions: "Help.", model, tools });
  const perRequest = new Agent({
    id: "b",
    name: "B",
    instructions: "Help.",
    model,
    tools: () => createMastraTools(view).tools,
  });
  await perRequest.stream("go", { prepareStep, toolsets: { hostside: tools } });
  const { toolResults } = await agent.generate("go", { prepareStep });
  return toolResults.map(({ payload }) => outcomeOf(payload.result)?.isError);
}
