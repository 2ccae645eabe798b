// The AI SDK with the tools of many MCP servers.
import { createAiSdkTools } from "@hostside/adapters/ai-sdk";
import type { ToolboxView } from "@hostside/discovery";
import { generateText, isStepCount, type LanguageModel } from "ai";

export async function ask(model: LanguageModel, view: ToolboxView, prompt: string): Promise<string> {
  const { tools, prepareStep, toolApproval } = createAiSdkTools(view);
  const { text } = await generateText({ model, prompt, tools, prepareStep, toolApproval, stopWhen: isStepCount(20) });
  return text;
}
