// An agent with the tools of a configuration file, whatever model it has.
import { generateText, isStepCount, type LanguageModel } from "ai";
import { createHost } from "hostside";
import { createAiSdkTools } from "hostside/ai-sdk";

export async function ask(model: LanguageModel, prompt: string, config = "auto"): Promise<string> {
  const host = await createHost({ config });
  try {
    const conversation = await host.conversation({ maxToolTokens: 2000 });
    const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
    const options = { tools, prepareStep, toolApproval, stopWhen: isStepCount(20) };
    return (await generateText({ ...options, model, prompt })).text;
  } finally {
    await host.close();
  }
}
