import { createAiSdkTools, type CallAnswer } from "@hostside/adapters/ai-sdk";
import type { ToolboxView } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";
import {
  convertToModelMessages,
  generateText,
  streamText,
  ToolLoopAgent,
  type LanguageModel,
  type UIMessage,
} from "ai";

// Compiles only while what the adapter gives is what the AI SDK takes, under
// `exactOptionalPropertyTypes`, without a cast.
export async function chat(
  view: ToolboxView,
  policy: Policy,
  { model, ui }: { readonly model: LanguageModel; readonly ui: UIMessage[] },
): Promise<unknown> {
  const { tools, prepareStep, toolApproval, outcomeOf } = createAiSdkTools({
    ...view,
    approval: policy.frameworkApproval({ principal: "ada" }),
  });
  const messages = await convertToModelMessages(ui, { tools });
  const runtimeContext = { tenant: "a" };
  const { toolResults } = await generateText({ model, messages, tools, prepareStep, toolApproval, runtimeContext });
  const stream = streamText({
    model,
    messages,
    tools,
    toolApproval,
    prepareStep: (step) => ({ temperature: step.stepNumber, ...prepareStep(step) }),
  });
  const agent = new ToolLoopAgent({ model, tools, prepareStep, toolApproval });
  return [toolResults.map(({ output }) => outcomeOf(output)?.isError), stream, agent];
}

export function read(answer: CallAnswer): string {
  return answer.isError
    ? answer.message
    : answer.content.map((part) => (part.type === "text" ? part.text : part.mimeType)).join();
}
