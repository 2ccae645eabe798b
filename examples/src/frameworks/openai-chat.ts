// OpenAI's Chat Completions, or any API that speaks it, with the tools of many MCP servers.
import { createChatTools } from "@toolport/adapters/openai";
import type { ToolboxView } from "@toolport/discovery";
import type OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions/completions";

export async function ask(client: OpenAI, view: ToolboxView, question: string): Promise<string | null | undefined> {
  const mcp = createChatTools(view);
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: question }];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: "gpt-5.5", messages, tools: mcp.tools() });
    const message = choices[0]?.message;
    const answers = message === undefined ? [] : await mcp.answer(message);
    if (message === undefined || answers.length === 0) return message?.content;
    messages.push(message, ...answers);
  }
}
