// A chat model of LangChain with the tools of many MCP servers.
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createLangChainTools } from "@hostside/adapters/langchain";
import type { ToolboxView } from "@hostside/discovery";

type Model = Pick<Required<BaseChatModel>, "bindTools">;

export async function ask(model: Model, view: ToolboxView, question: string): Promise<string> {
  const mcp = createLangChainTools(view, { media: ["image/png", "image/jpeg"] });
  const messages: BaseMessage[] = [new HumanMessage(question)];
  for (;;) {
    // Bound anew each time: what the model has found is there the next time.
    const reply = await model.bindTools(mcp.tools()).invoke(messages);
    const answers = await mcp.answer(reply);
    if (answers.length === 0) return reply.text;
    messages.push(reply, ...answers);
  }
}
