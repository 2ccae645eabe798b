// OpenAI's Chat Completions, or any API that speaks it, with the tools of many MCP servers.
import { createChatTools } from "@hostside/adapters/openai";
import type { ToolboxView } from "@hostside/discovery";
import type OpenAI from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions/completions";

export async function ask(client: OpenAI, view: ToolboxView, question: string): Promise<string | null | undefined> {
  const mcp = createChatTools(view);
  const messages: ChatCompletionMessageParam[] = [{ role: "user", content: question }];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: "gpt-5.5", messages, tools: mcp.tools() });
    const [choice] = choices;
    const answers = choice === undefined ? [] : await mcp.answer(choice);
    if (choice === undefined || answers.length === 0) return choice?.message.content;
    messages.push(choice.message, ...answers);
  }
}
