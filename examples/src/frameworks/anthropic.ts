// Anthropic's Messages API with the tools of many MCP servers.
import type Anthropic from "@anthropic-ai/sdk";
import { createAnthropicTools } from "@hostside/adapters/anthropic";
import type { ToolboxView } from "@hostside/discovery";

export async function ask(client: Anthropic, view: ToolboxView, question: string): Promise<Anthropic.Message> {
  const mcp = createAnthropicTools(view);
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
  for (;;) {
    const options = { model: "claude-opus-4-8", max_tokens: 4096 };
    const message = await client.messages.create({ ...options, messages, tools: mcp.tools() });
    const answer = await mcp.answer(message);
    if (answer === undefined) return message;
    messages.push({ role: "assistant", content: message.content }, answer);
  }
}
