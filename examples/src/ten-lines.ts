// An agent with the tools of a configuration file, whatever model it has.
import { generateText, isStepCount, type LanguageModel } from "ai";
import { createToolport } from "toolport";
import { createAiSdkTools } from "toolport/ai-sdk";

export async function ask(model: LanguageModel, prompt: string, config = "auto"): Promise<string> {
  await using toolport = await createToolport({ config });
  await using conversation = toolport.conversation({ budget: 2000 });
  const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
  const options = { tools, prepareStep, toolApproval, stopWhen: isStepCount(20) };
  return (await generateText({ ...options, model, prompt })).text;
}
